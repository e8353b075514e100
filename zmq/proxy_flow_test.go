package zmq_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
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

// A capture socket that is full holds the flow up, as in libzmq, and then gets all.
func TestProxyCaptureFull(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newContext(t), inprocName(), stream)
	capture := newSocket(t, b.zctx, zmq.Push) // without a peer
	r := startProxy(t, b.front, b.back, capture)
	const messages = 120
	for i := range messages {
		require.NoError(t, b.near.SendMultipart(context.Background(), fifty(i)))
	}
	require.Equal(t, fifty(0), recvParts(t, b.far), "its copy is what waits")
	require.ErrorIs(t, errOf(b.far.RecvBytes(context.Background(), zmq.DontWait)), zmq.ErrAgain)
	require.Equal(t, uint64(1), r.moved(t))

	copies := newSocket(t, b.zctx, zmq.Pull, zmq.RecvHWM.To(2))
	connect(t, capture, copies, inprocName())
	for i := range messages {
		require.Equal(t, fifty(i), recvParts(t, copies), i)
		if i > 0 {
			require.Equal(t, fifty(i), recvParts(t, b.far), i)
		}
	}

	// The end of the proxy with a copy that waits leaves nothing behind.
	require.NoError(t, copies.Close())
	for range 10 {
		require.NoError(t, b.near.SendMultipart(context.Background(), fifty(1)))
	}
	recvParts(t, b.far)
	r.stop()
	require.ErrorIs(t, r.result(t), context.Canceled)
}

// Messages that were read ahead go first, and later messages follow.
func TestProxyForwardsWhatWasReadAhead(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newContext(t), inprocName(), stream)
	require.NoError(t, b.front.Set(zmq.ReadAhead.To(64)))
	const messages = 200
	for i := range messages {
		require.NoError(t, b.near.SendMultipart(context.Background(), fifty(i%6)))
	}
	require.Equal(t, fifty(0), recvParts(t, b.front)) // and reads others ahead
	startProxy(t, b.front, b.back, nil)
	for i := 1; i < messages; i++ {
		require.Equal(t, fifty(i%6), recvParts(t, b.far), i)
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

// Two proxies may share their sockets: each message goes once.
func TestProxiesThatShareSockets(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	b := newBridge(t, zctx, tcp, stream, zmq.SendHWM.To(10), zmq.RecvHWM.To(10))
	back2, far2 := newSocket(t, zctx, zmq.Push), newSocket(t, zctx, zmq.Pull)
	connect(t, back2, far2, inprocName())
	startProxy(t, b.front, b.back, nil)
	startProxy(t, b.front, b.back, nil)
	startProxy(t, b.front, back2, nil)
	const messages = 10_000
	arrived := make(chan [][]byte, messages)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var receivers sync.WaitGroup
	for _, s := range []*zmq.Socket{b.far, far2, b.front} {
		receivers.Go(func() {
			for parts, err := s.RecvMultipart(ctx); err == nil; parts, err = s.RecvMultipart(ctx) {
				arrived <- parts
			}
		})
	}
	sent := sendFifty(ctx, b.near, messages)
	seen := map[uint32]bool{}
	for range messages {
		select {
		case parts := <-arrived:
			i := binary.LittleEndian.Uint32(parts[0])
			require.Len(t, parts, len(fifty(int(i))))
			require.False(t, seen[i], "%d came twice", i)
			seen[i] = true
		case <-ctx.Done():
			require.FailNow(t, "messages are missing")
		}
	}
	require.NoError(t, <-sent)
	cancel()
	receivers.Wait()
	require.Empty(t, arrived)
}

// Destinations whose POLLOUT says nothing: a message that one peer has no room for
// waits, and one for a peer that is not there is dropped, without ending the proxy.
func TestProxyInexactDestinations(t *testing.T) {
	t.Parallel()
	short := []zmq.Setting{zmq.SendHWM.To(2), zmq.RecvHWM.To(2)}
	const messages = 100
	t.Run("ROUTER", func(t *testing.T) {
		t.Parallel()
		zctx := newContext(t)
		b := newBridge(t, zctx, inprocName(), [4]zmq.SocketType{zmq.Dealer, zmq.Dealer, zmq.Router, zmq.Router}, short...)
		require.NoError(t, b.back.Set(zmq.RouterMandatory.To(true)))
		peer := newSocket(t, zctx, zmq.Dealer, zmq.RecvHWM.To(2), zmq.RoutingID.To([]byte("peer")))
		require.NoError(t, peer.Connect(last(t, b.back)))
		r := startProxy(t, b.front, b.back, nil)
		require.NoError(t, b.near.SendMultipart(context.Background(), [][]byte{[]byte("stranger"), []byte("lost")}))
		sent := sendFifty(t.Context(), b.near, messages, []byte("peer"))
		for i := range messages {
			require.Equal(t, fifty(i), recvParts(t, peer))
		}
		require.NoError(t, <-sent)
		s := noErr(r.Statistics())(t)
		require.Equal(t, uint64(1), s.Dropped)
		require.Equal(t, uint64(messages+1), s.Frontend.MessagesReceived)
		require.Equal(t, uint64(messages), s.Backend.MessagesSent)
	})
	t.Run("XPUB", func(t *testing.T) {
		t.Parallel()
		b := newBridge(t, newContext(t), inprocName(), [4]zmq.SocketType{zmq.Push, zmq.Pull, zmq.XPub, zmq.XSub}, short...)
		require.NoError(t, b.back.Set(zmq.XPubNoDrop.To(true)))
		require.NoError(t, b.far.Send(context.Background(), []byte{1}))
		require.Equal(t, []byte{1}, recvParts(t, b.back)[0])
		startProxy(t, b.front, b.back, nil)
		sent := sendFifty(t.Context(), b.near, messages)
		for i := range messages {
			require.Equal(t, fifty(i), recvParts(t, b.far))
		}
		require.NoError(t, <-sent)
	})
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

// An idle proxy, running or paused, costs a goroutine and nothing else.
func TestProxyIdle(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for a while")
	}
	zctx := newContext(t)
	for i := range 50 {
		front, back := newSocket(t, zctx, zmq.Router), newSocket(t, zctx, zmq.Dealer)
		require.NoError(t, front.Bind(inprocName()))
		require.NoError(t, back.Bind(inprocName()))
		r := startProxy(t, front, back, nil)
		if i%2 == 0 {
			require.NoError(t, r.Pause())
		}
	}
	// Other tests' contexts may still be closing, so the best of several spans counts.
	const span = 200 * time.Millisecond
	least := span
	for i := 0; i < 20 && least > span/50; i++ {
		before := testutil.ProcessTime(t)
		time.Sleep(span) // while nothing happens
		least = min(least, testutil.ProcessTime(t)-before)
	}
	require.LessOrEqual(t, least, span/50, "processor time of 50 idle proxies")
}

// A proxy of one DGRAM sends each datagram back to its sender.
func TestProxyForwardsDatagrams(t *testing.T) {
	t.Parallel()
	if !hasDrafts(t, zmq.Dgram) {
		return
	}
	zctx := newContext(t)
	echo, client := newSocket(t, zctx, zmq.Dgram), newSocket(t, zctx, zmq.Dgram, zmq.RecvTimeout.To(10*time.Second))
	to := udpAddress(t)
	require.NoError(t, echo.Bind("udp://"+to.String()))
	require.NoError(t, client.Bind("udp://127.0.0.1:*"))
	startProxy(t, echo, echo, nil)
	require.NoError(t, client.SendDatagram(t.Context(), to, []byte("back")))
	buf := make([]byte, 8)
	n, from, err := client.RecvDatagram(t.Context(), buf)
	require.NoError(t, err)
	require.Equal(t, to, from)
	require.Equal(t, "back", string(buf[:n]))
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
