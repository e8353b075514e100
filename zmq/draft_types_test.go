package zmq_test

import (
	"bytes"
	"context"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// Where messages are copied before libzmq gets them, as in every socket of a context in
// which one with Conflate uses inproc, they keep their routing ids and groups.
func TestCopiesKeepTheirAddress(t *testing.T) {
	t.Parallel()
	if !hasDrafts(t, zmq.Server, zmq.Client, zmq.Radio, zmq.Dish) {
		return
	}
	copying := func(t *testing.T) *zmq.Context {
		zctx := newContext(t)
		require.NoError(t, newSocket(t, zctx, zmq.Pull, zmq.Conflate.To(true)).Bind(inprocName()))
		return zctx
	}
	sizes := []int{0, 33, 34, 100, 10_000}

	t.Run("routing id", func(t *testing.T) {
		zctx, ctx := copying(t), within(t)
		server, client := newSocket(t, zctx, zmq.Server), newSocket(t, zctx, zmq.Client)
		connect(t, server, client, "tcp://127.0.0.1:*")
		b := newBatch(t, 1)
		for _, size := range sizes {
			require.NoError(t, client.Send(ctx, payload(size)))
			var m zmq.Message
			require.NoError(t, server.RecvMessage(ctx, &m))
			id := noErr(m.RoutingID())(t)
			require.NoError(t, b.AppendTo(id, payload(size)))
			require.NoError(t, server.SendMessage(ctx, &m))
			require.NoError(t, server.SendTo(ctx, id, payload(size)))
			require.NoError(t, errOf(server.SendBatch(ctx, b)))
			for range 3 {
				require.Equal(t, string(payload(size)), string(noErr(client.RecvBytes(ctx))(t)))
			}
		}
	})
	t.Run("group", func(t *testing.T) {
		zctx, ctx := copying(t), within(t)
		radio, dish := newSocket(t, zctx, zmq.Radio), newSocket(t, zctx, zmq.Dish)
		connect(t, dish, radio, "tcp://127.0.0.1:*")
		require.NoError(t, dish.Join("fourteen-bytes"))
		joined(t, radio, dish, "fourteen-bytes")
		for _, size := range sizes {
			m := noErr(zmq.NewMessageBytes(payload(size)))(t)
			require.NoError(t, m.SetGroup("fourteen-bytes"))
			require.NoError(t, radio.SendMessage(ctx, m))
			require.NoError(t, radio.SendGroup(ctx, "fourteen-bytes", payload(size)))
			for range 2 {
				require.NoError(t, dish.RecvMessage(ctx, m))
				require.Equal(t, string(payload(size)), string(m.Bytes()))
				require.Equal(t, "fourteen-bytes", noErr(m.Group())(t))
			}
			require.NoError(t, m.Close())
		}
	})
}

func TestPeerWritable(t *testing.T) {
	t.Parallel()
	id := []byte("peer")
	router, dealer := pair(t, zmq.Router, zmq.Dealer, inprocName(), zmq.RoutingID.To(id), zmq.HWM(2))
	require.NoError(t, dealer.SendString(context.Background(), "hello"))
	recvParts(t, router)
	if !zmq.Has("draft") {
		require.ErrorIs(t, errOf(router.PeerWritable(id)), zmq.ErrNotSupported)
		return
	}
	full := 0
	for ; noErr(router.PeerWritable(id))(t) && full < 100; full++ {
		require.NoError(t, router.SendMultipart(context.Background(), [][]byte{id, []byte("x")}))
	}
	require.Equal(t, 4, full, "both marks count over inproc")
	for range full {
		recvBytes(t, dealer)
	}
	require.True(t, noErr(router.PeerWritable(id))(t))
	require.ErrorIs(t, errOf(router.PeerWritable([]byte("nobody"))), zmq.ErrHostUnreachable)
}

func TestPeerWritableRefuses(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	router := newSocket(t, zctx, zmq.Router)
	for _, bad := range [][]byte{nil, {}, bytes.Repeat([]byte("x"), 256)} {
		require.ErrorIs(t, errOf(router.PeerWritable(bad)), syscall.EINVAL)
	}
	require.ErrorIs(t, errOf(newSocket(t, zctx, zmq.Dealer).PeerWritable([]byte("peer"))), zmq.ErrNotSupported)
	require.NoError(t, router.Close())
	require.ErrorIs(t, errOf(router.PeerWritable([]byte("peer"))), zmq.ErrClosed)
	require.ErrorIs(t, errOf((*zmq.Socket)(nil).PeerWritable([]byte("peer"))), zmq.ErrClosed)
}
