package zmq_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// The messages that DropCounted drops in a proxy are in the proxy's statistics.
func TestProxyCountsWhatDropCountedDrops(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	near, front := newSocket(t, zctx, zmq.Push), newSocket(t, zctx, zmq.Pull)
	connect(t, front, near, inprocName())
	back := newSocket(t, zctx, zmq.XPub, zmq.SendHWM.To(1), zmq.WhenFull.To(zmq.DropCounted))
	sub := newSocket(t, zctx, zmq.Sub, zmq.RecvHWM.To(1))
	require.NoError(t, sub.Subscribe(""))
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
	zctx := newContext(t)
	front, pub := newSocket(t, zctx, zmq.XSub), newSocket(t, zctx, zmq.XPub)
	connect(t, front, pub, inprocName())
	back, sub := newSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true)), newSocket(t, zctx, zmq.Sub)
	connect(t, back, sub, inprocName())
	startProxy(t, front, back, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for i := range 50 {
		topic := string(rune('0' + i))
		require.NoError(t, sub.Subscribe(topic))
		require.NoError(t, back.WaitSubscribers(ctx, i+1))
		require.Equal(t, "\x01"+topic, string(recvWithin(t, pub)[0]))
	}
}
