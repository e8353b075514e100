package zmq_test

import (
	"bytes"
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// draftPairs calls test with connected sockets of each two types that exchange messages without an
// address.
func draftPairs(t *testing.T, test func(t *testing.T, from, to *zmq.Socket)) {
	for _, types := range [][2]zmq.SocketType{{zmq.Client, zmq.Server}, {zmq.Channel, zmq.Channel}, {zmq.Scatter, zmq.Gather}} {
		t.Run(types[0].String(), func(t *testing.T) {
			networks(t, func(t *testing.T, endpoint string) {
				if to, from, ok := draftPair(t, types[1], types[0], endpoint); ok {
					test(t, from, to)
				}
			})
		})
	}
}

// These types have no descriptor to wait for.
func TestDraftTypesWait(t *testing.T) {
	t.Parallel()
	draftPairs(t, func(t *testing.T, from, to *zmq.Socket) {
		const each = 500
		var senders [4]<-chan error
		for i := range senders {
			senders[i] = async(func() error {
				return repeat(each, func(int) error { return from.SendString(context.Background(), "text") })
			})
		}
		for range len(senders) * each {
			require.Equal(t, "text", recvString(t, to))
		}
		for _, sent := range senders {
			require.NoError(t, <-sent)
		}
		require.ErrorIs(t, errOf(to.RecvBytes(context.Background(), zmq.DontWait)), zmq.ErrAgain)
		require.ErrorIs(t, errOf(to.RecvBytes(timeout(t, 20*time.Millisecond))), context.DeadlineExceeded)
		require.NoError(t, to.Set(zmq.RecvTimeout.To(20*time.Millisecond)))
		require.ErrorIs(t, errOf(to.RecvBytes(context.Background())), os.ErrDeadlineExceeded)
		require.NoError(t, to.Set(zmq.RecvTimeout.To(-1)))

		// Close ends waiting calls.
		var waiting [5]<-chan error
		for i := range waiting {
			waiting[i] = async(func() error { return errOf(to.RecvBytes(context.Background())) })
		}
		awaitParked(t, to, len(waiting))
		require.NoError(t, to.Close())
		for _, ended := range waiting {
			require.ErrorIs(t, <-ended, zmq.ErrClosed)
		}
	})
}

// Messages to a peer or a group are counted like all others.
func TestDraftTypesCount(t *testing.T) {
	t.Parallel()
	server, client, ok := draftPair(t, zmq.Server, zmq.Client, "tcp://127.0.0.1:*")
	if !ok {
		return
	}
	require.NoError(t, client.SendString(context.Background(), "question"))
	_, id, err := server.RecvFrom(context.Background(), make([]byte, 10))
	require.NoError(t, err)
	require.NoError(t, server.SendTo(context.Background(), id, []byte("answer")))
	radio := newSocket(t, newContext(t), zmq.Radio)
	require.NoError(t, radio.SendGroup(context.Background(), "group", []byte("answer")))
	for _, s := range []*zmq.Socket{server, radio} {
		st := s.Stats()
		require.Equal(t, [3]uint64{1, 1, 6}, [3]uint64{st.MessagesSent, st.PartsSent, st.BytesSent}, "%v", s.Type())
	}
	require.EqualValues(t, 1, server.Stats().MessagesReceived)
}

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

// Types that are thread-safe inside libzmq send and receive single parts only.
func TestThreadSafeTypesRefuseMultipart(t *testing.T) {
	t.Parallel()
	for _, types := range [][2]zmq.SocketType{
		{zmq.Server, zmq.Client}, {zmq.Gather, zmq.Scatter}, {zmq.Channel, zmq.Channel}, {zmq.Dish, zmq.Radio}, {zmq.Peer, zmq.Peer},
	} {
		_, s, ok := draftPair(t, types[0], types[1], tcp)
		if !ok {
			continue
		}
		refused := func(err error, what any) {
			t.Helper()
			require.ErrorIs(t, err, syscall.EINVAL, "%v %v", s.Type(), what)
			require.ErrorContains(t, err, "only messages of one part", "%v %v", s.Type(), what)
		}
		for name, send := range sendWays {
			refused(send(s, []byte("part"), []byte("part")), name)
			refused(send(s, make([][]byte, 6)...), name)
		}
		m := newMessage(t, "part")
		refused(s.SendMessage(context.Background(), m, zmq.SendMore), "SendMore")
		refused(s.SendMessageTo(context.Background(), []byte("part"), m), "SendMessageTo")
		require.Equal(t, "part", string(m.Bytes()))
		require.NoError(t, m.Close())
		require.Zero(t, s.DiscardParts())
		b := newBatch(t, 2)
		require.NoError(t, b.Append([]byte{1}, []byte{2}))
		for range 2 { // packed, and in slots
			refused(errOf(s.SendBatch(context.Background(), b)), "SendBatch")
			require.Len(t, b.At(0), 2)
		}
	}
}

// Over inproc libzmq freezes with them.
func TestThreadSafeTypesRefuseInproc(t *testing.T) {
	t.Parallel()
	for _, typ := range []zmq.SocketType{zmq.Server, zmq.Client, zmq.Radio, zmq.Dish, zmq.Gather, zmq.Scatter, zmq.Peer, zmq.Channel} {
		if !hasDrafts(t, typ) {
			continue
		}
		s := newSocket(t, newContext(t), typ)
		require.ErrorIs(t, s.Bind(inprocName()), zmq.ErrNotSupported)
		require.ErrorIs(t, s.Connect(inprocName()), zmq.ErrNotSupported)
		if typ == zmq.Peer {
			require.ErrorIs(t, errOf(s.ConnectPeer(inprocName())), zmq.ErrNotSupported)
		}
	}
}
