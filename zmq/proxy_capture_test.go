package zmq_test

import (
	"bytes"
	"context"
	"strconv"
	"testing"

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
		require.Equal(t, strconv.Itoa(i), string(recvWithin(t, s)[0]))
	}
}

// The copy of a forwarded message does not wait until later messages are forwarded.
func TestProxyCapturesBeforeTheNextMessage(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	b := newBridge(t, zctx, inprocName, stream)
	require.NoError(t, b.back.Close())
	require.NoError(t, b.far.Close())
	back := newSocket(t, zctx, zmq.Push, zmq.SendHWM.To(1))
	far := newSocket(t, zctx, zmq.Pull, zmq.RecvHWM.To(1))
	connect(t, back, far, inprocName()) // over inproc, this is room for 2 messages
	capture, copies := newSocket(t, zctx, zmq.Push), newSocket(t, zctx, zmq.Pull)
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
	zctx := newContext(t)
	b := newBridge(t, zctx, inprocName, stream)
	capture := newSocket(t, zctx, zmq.Push) // without a peer
	r := startProxy(t, b.front, b.back, capture)
	sendNumbers(t, b.near, 3)
	requireNumbers(t, b.far, 0, 1)
	require.NoError(t, r.Pause())
	require.NoError(t, r.Resume())
	require.NoError(t, r.Resume(), "of a proxy that runs")
	require.NoError(t, r.Pause())
	copies := newSocket(t, zctx, zmq.Pull)
	connect(t, capture, copies, inprocName())
	require.NoError(t, r.Resume())
	requireNumbers(t, copies, 0, 3)
	requireNumbers(t, b.far, 1, 3)
}

// A copy that the capture socket refuses does not take others with it.
func TestProxyCaptureRefusesOne(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	b := newBridge(t, zctx, inprocName, stream)
	capture, copies := newSocket(t, zctx, zmq.XSub), newSocket(t, zctx, zmq.XPub)
	connect(t, copies, capture, inprocName())
	sendNumbers(t, b.near, 3)
	long := append([]byte{1}, bytes.Repeat([]byte("x"), 5000)...)
	require.NoError(t, b.near.Send(context.Background(), long))
	require.NoError(t, b.near.SendString(context.Background(), "4"))
	startProxy(t, b.front, b.back, capture)
	requireNumbers(t, b.far, 0, 3)
	require.Equal(t, long, recvWithin(t, b.far)[0])
	requireNumbers(t, copies, 0, 3)
	requireNumbers(t, copies, 4, 5)
}
