package zmq_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// draftPair is pair for draft types. Without the draft API it asserts that both are
// refused, and reports false.
func draftPair(t *testing.T, bindType, connectType zmq.SocketType, endpoint string, settings ...zmq.Setting) (b, d *zmq.Socket, ok bool) {
	t.Helper()
	if !hasDrafts(t, bindType, connectType) {
		return nil, nil, false
	}
	b, d = pair(t, bindType, connectType, endpoint, settings...)
	return b, d, true
}

// hasDrafts reports whether libzmq has its draft API, and asserts that the types are
// refused if not.
func hasDrafts(t testing.TB, types ...zmq.SocketType) bool {
	t.Helper()
	if zmq.Has("draft") {
		return true
	}
	zctx := newContext(t)
	for _, typ := range types {
		if typ < zmq.Server {
			continue
		}
		_, err := zctx.NewSocket(typ)
		requireFails(t, err, zmq.ErrNotSupported, typ.String())
		require.ErrorContains(t, err, "GOZMQ_LIBRARY")
	}
	return false
}

func TestClientServer(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, endpoint string) {
		server, client, ok := draftPair(t, zmq.Server, zmq.Client, endpoint)
		if !ok {
			return
		}
		ctx, buf := within(t), make([]byte, 100)
		require.NoError(t, client.Send(ctx, []byte("request")))
		n, id, err := server.RecvFrom(ctx, buf)
		require.NoError(t, err)
		require.Equal(t, "request", string(buf[:n]))
		require.NotZero(t, id)
		require.False(t, server.RecvMore())
		require.NoError(t, server.SendTo(ctx, id, []byte("reply")))
		require.Equal(t, "reply", recvString(t, client))

		// As a Message, which keeps the id, and is sent back as it is.
		for _, size := range []int{0, 5, 33, 5000, 100_000} {
			require.NoError(t, client.Send(ctx, make([]byte, size)))
			var m zmq.Message
			require.NoError(t, server.RecvMessage(ctx, &m))
			require.Equal(t, size, m.Len())
			require.Equal(t, id, noErr(m.RoutingID())(t))
			for _, back := range []*zmq.Message{noErr(m.Clone())(t), &m} {
				require.NoError(t, server.SendMessage(ctx, back))
				require.Len(t, recvBytes(t, client), size)
			}
		}

		// Messages of our own making: native, lent, and empty.
		lent := lend(t, []byte(strings.Repeat("lent", 5000)))
		for _, m := range []*zmq.Message{newMessage(t, "native"), lent.Message, {}} {
			want := string(m.Bytes())
			require.NoError(t, m.SetRoutingID(id))
			require.NoError(t, m.SetRoutingID(id))
			require.Equal(t, want, string(m.Bytes()))
			require.NoError(t, server.SendMessage(ctx, m))
			require.Equal(t, want, recvString(t, client))
		}
		lent.requireReleased(t)
	})
}

// A batch that a SERVER received goes back as it is, and AppendTo addresses others.
func TestServerBatch(t *testing.T) {
	t.Parallel()
	b := newBatch(t, 10)
	if !hasDrafts(t, zmq.Server, zmq.Client) {
		require.ErrorIs(t, b.AppendTo(1, nil), zmq.ErrNotSupported)
		require.ErrorIs(t, b.AppendGroup("group", nil), zmq.ErrNotSupported)
		return
	}
	networks(t, func(t *testing.T, endpoint string) {
		server, client, _ := draftPair(t, zmq.Server, zmq.Client, endpoint)
		ctx, b := within(t), zmq.NewBatch(10)
		defer b.Close()
		for i := range 10 {
			require.NoError(t, b.Append([]byte{byte(i)}))
		}
		require.NoError(t, errOf(client.SendBatch(ctx, b)))
		var id uint32
		for got := 0; got < 10; {
			n := noErr(server.RecvBatch(ctx, b))(t)
			id = noErr(b.At(0)[0].RoutingID())(t)
			require.Equal(t, n, noErr(server.SendBatch(ctx, b))(t))
			got += n
		}
		require.NoError(t, b.Append([]byte("to nobody")))
		_, err := server.SendBatch(context.Background(), b)
		requireFails(t, err, syscall.EINVAL, "SendTo")
		b.Reset()
		require.ErrorIs(t, b.AppendTo(0, nil), syscall.EINVAL)
		require.NoError(t, b.AppendTo(id, []byte{10}))
		require.NoError(t, b.Append([]byte("two"), []byte("parts")))
		require.NoError(t, b.AppendTo(id, []byte{11}))
		sent, err := server.SendBatch(ctx, b)
		requireFails(t, err, syscall.EINVAL, "one part")
		require.Equal(t, 1, sent)
		require.Equal(t, 1, b.Skip(1))
		require.Equal(t, 1, noErr(server.SendBatch(ctx, b))(t))
		next := byte(0)
		for p, err := range client.Messages(ctx) {
			require.NoError(t, err)
			require.Equal(t, []byte{next}, p[0].Bytes())
			if next++; next == 12 {
				break
			}
		}
	})
}

// What SERVER and PEER are told wrongly.
func TestBadInputRoutingID(t *testing.T) {
	t.Parallel()
	server, client, ok := draftPair(t, zmq.Server, zmq.Client, "tcp://127.0.0.1:*")
	if !ok {
		var m zmq.Message
		_, err := m.RoutingID()
		requireFails(t, err, zmq.ErrNotSupported, "GOZMQ_LIBRARY")
		require.ErrorIs(t, m.SetRoutingID(1), zmq.ErrNotSupported)
		s := newSocket(t, newContext(t), zmq.Dealer)
		require.ErrorIs(t, s.SendTo(context.Background(), 1, nil), zmq.ErrNotSupported)
		require.ErrorIs(t, errOf(s.ConnectPeer(inprocName())), zmq.ErrNotSupported)
		require.ErrorIs(t, s.DisconnectPeer(1), zmq.ErrNotSupported)
		return
	}
	require.ErrorIs(t, server.SendTo(context.Background(), 12345, []byte("x")), zmq.ErrHostUnreachable)
	require.ErrorIs(t, server.SendTo(context.Background(), 0, []byte("x")), syscall.EINVAL)
	require.ErrorIs(t, server.Send(context.Background(), []byte("x")), syscall.EINVAL)
	require.ErrorIs(t, server.SendMultipart(context.Background(), [][]byte{{1}}), syscall.EINVAL)
	require.ErrorIs(t, client.SendTo(context.Background(), 1, []byte("x")), zmq.ErrNotSupported)
	var m zmq.Message
	require.ErrorIs(t, m.SetRoutingID(0), syscall.EINVAL)
	require.NoError(t, m.SetRoutingID(4711))
	require.ErrorIs(t, server.SendMessage(context.Background(), &m), zmq.ErrHostUnreachable)
	id, err := m.RoutingID()
	require.NoError(t, err, "a message that was not sent is as it was")
	require.EqualValues(t, 4711, id)
	require.NoError(t, m.Close())
	id = noErr(m.RoutingID())(t)
	require.Zero(t, id)
	require.ErrorIs(t, server.SendMessage(context.Background(), &m), zmq.ErrHostUnreachable, "no id")
	var none *zmq.Message
	require.ErrorIs(t, errOf(none.RoutingID()), syscall.EINVAL)
	require.ErrorIs(t, none.SetRoutingID(1), syscall.EINVAL)
	var noSocket *zmq.Socket
	require.ErrorIs(t, noSocket.SendTo(context.Background(), 1, nil), zmq.ErrClosed)
	_, _, err = noSocket.RecvFrom(context.Background(), nil)
	require.ErrorIs(t, err, zmq.ErrClosed)
	require.ErrorIs(t, errOf(noSocket.ConnectPeer("tcp://127.0.0.1:1")), zmq.ErrClosed)
	require.NoError(t, client.Send(context.Background(), []byte("too long")))
	n, id, err := server.RecvFrom(context.Background(), make([]byte, 3))
	var truncated *zmq.TruncatedError
	require.ErrorAs(t, err, &truncated)
	require.Equal(t, 3, n)
	require.NotZero(t, id)
	require.Equal(t, 8, truncated.Size)
}

func TestPeerRepliesByRoutingID(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, endpoint string) {
		if !hasDrafts(t, zmq.Peer) {
			return
		}
		zctx, ctx, buf := newContext(t), within(t), make([]byte, 100)
		a, b := newSocket(t, zctx, zmq.Peer), newSocket(t, zctx, zmq.Peer)
		require.NoError(t, a.Bind(endpoint))
		endpoint = last(t, a)
		id := noErr(b.ConnectPeer(endpoint))(t)
		require.NotZero(t, id)
		require.NoError(t, b.SendTo(ctx, id, []byte("hello")))
		n, from, err := a.RecvFrom(ctx, buf)
		require.NoError(t, err)
		require.Equal(t, "hello", string(buf[:n]))
		require.NoError(t, a.SendTo(ctx, from, []byte("and hello")))
		n, back, err := b.RecvFrom(ctx, buf)
		require.NoError(t, err)
		require.Equal(t, "and hello", string(buf[:n]))
		require.Equal(t, id, back)

		require.NoError(t, b.DisconnectPeer(id))
		require.Eventually(t, func() bool {
			_, err := a.RecvBytes(context.Background(), zmq.DontWait)
			return err != nil && errors.Is(b.SendTo(context.Background(), id, []byte("x"), zmq.DontWait), zmq.ErrHostUnreachable)
		}, 10*time.Second, time.Millisecond)
		err = b.DisconnectPeer(id)
		require.True(t, errors.Is(err, zmq.ErrNotSupported) || errors.Is(err, zmq.ErrHostUnreachable), "%v", err)
	})
}

func TestScatterGatherAndChannel(t *testing.T) {
	t.Parallel()
	draftPairs(t, func(t *testing.T, from, to *zmq.Socket) {
		ctx := within(t)
		const n = 1000
		sent := async(func() error { return repeat(n, func(i int) error { return from.Send(ctx, []byte{byte(i)}) }) })
		if to.Type() == zmq.Channel { // receivers of a CHANNEL take turns as well
			require.NoError(t, to.Set(zmq.ReadAhead.To(64)))
		}
		for i := range n {
			require.Equal(t, []byte{byte(i)}, recvBytes(t, to))
		}
		require.NoError(t, <-sent)
		switch to.Type() {
		case zmq.Channel:
			require.NoError(t, to.SendMultipart(ctx, [][]byte{[]byte("back")}))
			require.Equal(t, "back", recvString(t, from))
		case zmq.Gather:
			require.ErrorIs(t, errOf(from.RecvBytes(ctx, zmq.DontWait)), zmq.ErrNotSupported)
			require.ErrorIs(t, to.Send(ctx, nil), zmq.ErrNotSupported)
		}
	})
}

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
