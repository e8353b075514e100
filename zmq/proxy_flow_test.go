package zmq_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// The capture socket of Proxy gets a copy of all, of both directions, whole and in order.
func TestProxyCapture(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"small": 20, "shared": 3000, "large": 100_000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBridge(t, newContext(t), tcp, broker)
			capture, copies := newSocket(t, b.zctx, zmq.Push), newSocket(t, b.zctx, zmq.Pull)
			connect(t, copies, capture, tcp)
			proxy := async(func() error { return zmq.Proxy(t.Context(), b.front, b.back, capture) })
			t.Cleanup(func() { require.ErrorIs(t, <-proxy, context.Canceled) })
			for i := range 60 {
				request := append(fifty(i), bytes.Repeat([]byte{byte(i)}, size))
				require.NoError(t, b.near.SendMultipart(context.Background(), request))
				got := recvParts(t, b.far)
				require.Equal(t, request, got[1:])
				require.Equal(t, got, recvParts(t, copies))
				require.NoError(t, b.far.SendMultipart(context.Background(), got))
				require.Equal(t, request, recvParts(t, b.near))
				require.Equal(t, got, recvParts(t, copies))
			}
		})
	}
}

// After a goroutine has received the first part of a message, the proxy leaves it the others.
func TestProxyLeavesHalfAMessage(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newContext(t), inprocName(), stream)
	message := [][]byte{[]byte("one"), []byte("two"), []byte("three")}
	require.NoError(t, b.near.SendMultipart(context.Background(), message))
	part := recvString(t, b.front)
	require.Equal(t, "one", part)
	requireFails(t, zmq.Proxy(t.Context(), b.front, b.back, nil), zmq.ErrState, "frontend: a message was received only in part")
	require.Equal(t, message[1:], recvParts(t, b.front))

	p := noErr(zmq.NewSteerableProxy(b.front, b.back, nil))(t)
	runProxy(t, p)
	require.NoError(t, b.near.SendString(context.Background(), "it runs"))
	require.Equal(t, "it runs", string(recvParts(t, b.far)[0]))
	for range 20 {
		require.NoError(t, p.Pause())
		require.NoError(t, b.near.SendMultipart(context.Background(), message))
		require.NoError(t, b.near.SendString(context.Background(), "next"))
		part = recvString(t, b.front)
		require.Equal(t, "one", part)
		require.NoError(t, p.Resume())
		for _, want := range []string{"two", "three"} {
			require.True(t, b.front.RecvMore())
			part = recvString(t, b.front)
			require.Equal(t, want, part)
		}
		require.Equal(t, "next", string(recvParts(t, b.far)[0]))
	}
}

// A peer that leaves in the middle of a stream costs whole messages at most.
func TestProxyPeersThatVanish(t *testing.T) {
	t.Parallel()
	for name, types := range inFlow() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zctx := newContext(t)
			b := newBridge(t, zctx, tcp, types, zmq.SendHWM.To(5), zmq.RecvHWM.To(5))
			at := last(t, b.back)
			r := startProxy(t, b.front, b.back, nil)
			ctx, cancel := context.WithCancel(t.Context())
			sent := sendFifty(ctx, b.near, math.MaxInt)
			for range 100 {
				far := newSocket(t, zctx, types[3], zmq.RecvHWM.To(5))
				require.NoError(t, far.Connect(at))
				for range 3 {
					got := recvParts(t, b.far)
					require.Equal(t, fifty(int(binary.LittleEndian.Uint32(got[0]))), got)
				}
				require.NoError(t, far.Close())
			}
			cancel()
			require.ErrorIs(t, <-sent, context.Canceled)
			require.NoError(t, r.Terminate())
			require.NoError(t, r.result(t))
		})
	}
}

// A socket with Conflate refuses only the messages of several parts, even if it got the
// option after the proxy was created.
func TestProxyDropsWhatConflateRefuses(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	near, front := newSocket(t, zctx, zmq.Push), newSocket(t, zctx, zmq.Pull)
	back, far := newSocket(t, zctx, zmq.Push), newSocket(t, zctx, zmq.Pull)
	p, err := zmq.NewSteerableProxy(front, back, nil)
	require.NoError(t, err)
	require.NoError(t, back.Set(zmq.Conflate.To(true)))
	connect(t, front, near, inprocName())
	connect(t, back, far, inprocName())
	require.NoError(t, near.SendString(t.Context(), "replaced"))
	require.NoError(t, near.SendMultipart(t.Context(), [][]byte{[]byte("two"), []byte("parts")}))
	require.NoError(t, near.SendString(t.Context(), "last"))
	r := runProxy(t, p)
	for string(recvParts(t, far)[0]) != "last" { // the first one may arrive before it is replaced
	}
	s, err := r.Statistics()
	require.NoError(t, err)
	require.Equal(t, uint64(1), s.Dropped)
	require.Equal(t, uint64(2), s.Backend.MessagesSent)
}
