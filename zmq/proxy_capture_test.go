package zmq_test

import (
	"bytes"
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// sendNumbers sends messages 0, 1, ... n-1.
func sendNumbers(t *testing.T, s *zmq.Socket, n int) {
	t.Helper()
	for i := range n {
		require.NoError(t, s.SendString(context.Background(), strconv.Itoa(i)))
	}
}

// requireNumbers receives messages from, from+1, ... to-1.
func requireNumbers(t *testing.T, s *zmq.Socket, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		require.Equal(t, strconv.Itoa(i), string(recvParts(t, s)[0]))
	}
}

// The copy of a forwarded message does not wait until later messages are forwarded.
func TestProxyCapturesBeforeTheNextMessage(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newContext(t), inprocName(), stream)
	require.NoError(t, b.back.Close())
	require.NoError(t, b.far.Close())
	back := newSocket(t, b.zctx, zmq.Push, zmq.SendHWM.To(1))
	far := newSocket(t, b.zctx, zmq.Pull, zmq.RecvHWM.To(1))
	connect(t, back, far, inprocName()) // over inproc, this is room for 2 messages
	capture, copies := newSocket(t, b.zctx, zmq.Push), newSocket(t, b.zctx, zmq.Pull)
	connect(t, capture, copies, inprocName())
	sendNumbers(t, b.near, 20)
	startProxy(t, b.front, back, capture)
	requireNumbers(t, copies, 0, 2)
	requireNumbers(t, far, 0, 20)
	requireNumbers(t, copies, 2, 20)
}

// A pause keeps the copies for which the capture socket had no room.
func TestProxyPauseKeepsCopies(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newContext(t), inprocName(), stream)
	capture := newSocket(t, b.zctx, zmq.Push) // without a peer
	r := startProxy(t, b.front, b.back, capture)
	sendNumbers(t, b.near, 3)
	requireNumbers(t, b.far, 0, 1)
	require.NoError(t, r.Pause())
	require.NoError(t, r.Resume())
	require.NoError(t, r.Resume(), "of a proxy that runs")
	require.NoError(t, r.Pause())
	copies := newSocket(t, b.zctx, zmq.Pull)
	connect(t, capture, copies, inprocName())
	require.NoError(t, r.Resume())
	requireNumbers(t, copies, 0, 3)
	requireNumbers(t, b.far, 1, 3)
}

// A copy that the capture socket refuses does not take others with it.
func TestProxyCaptureRefusesOne(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newContext(t), inprocName(), stream)
	capture, copies := newSocket(t, b.zctx, zmq.XSub), newSocket(t, b.zctx, zmq.XPub)
	connect(t, copies, capture, inprocName())
	sendNumbers(t, b.near, 3)
	long := append([]byte{1}, bytes.Repeat([]byte("x"), 5000)...)
	require.NoError(t, b.near.Send(context.Background(), long))
	require.NoError(t, b.near.SendString(context.Background(), "4"))
	startProxy(t, b.front, b.back, capture)
	requireNumbers(t, b.far, 0, 3)
	require.Equal(t, long, recvParts(t, b.far)[0])
	requireNumbers(t, copies, 0, 3)
	requireNumbers(t, copies, 4, 5)
}

// The messages that DropCounted drops in a proxy are in the proxy's statistics.
func TestProxyCountsWhatDropCountedDrops(t *testing.T) {
	t.Parallel()
	front, near := pair(t, zmq.Pull, zmq.Push, inprocName())
	zctx := near.Context()
	back := newSocket(t, zctx, zmq.XPub, zmq.SendHWM.To(1), zmq.WhenFull.To(zmq.DropCounted))
	sub := newSocket(t, zctx, zmq.Sub, zmq.Subscribe.To(""), zmq.RecvHWM.To(1))
	connect(t, back, sub, inprocName())
	require.Equal(t, "\x01", recvString(t, back)) // subscribed
	const messages = 20
	sendNumbers(t, near, messages)
	r := startProxy(t, front, back, nil)
	var got zmq.ProxyStatistics
	require.Eventually(t, func() bool {
		got, _ = r.Statistics()
		return got.Dropped+got.Backend.MessagesSent == messages
	}, 30*time.Second, time.Millisecond)
	require.NotZero(t, got.Dropped)
	require.Equal(t, got.Dropped, back.Stats().Dropped)
	require.Equal(t, uint64(messages), got.Frontend.MessagesReceived)
}

// An XPUB in a proxy counts its subscriptions, and the proxy forwards all of them.
func TestProxyTracksSubscriptions(t *testing.T) {
	t.Parallel()
	front, pub := pair(t, zmq.XSub, zmq.XPub, inprocName())
	zctx := front.Context()
	back, sub := newSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true)), newSocket(t, zctx, zmq.Sub)
	connect(t, back, sub, inprocName())
	startProxy(t, front, back, nil)
	ctx := timeout(t, 30*time.Second)
	for i := range 50 {
		topic := string(rune('0' + i))
		require.NoError(t, sub.Subscribe(topic))
		require.NoError(t, back.WaitSubscribers(ctx, i+1))
		require.Equal(t, "\x01"+topic, string(recvParts(t, pub)[0]))
	}
}
