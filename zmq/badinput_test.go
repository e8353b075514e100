package zmq_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// A badCall is given a socket that is connected and has a message to receive. It
// must fail with an *Error that says where and why, and change nothing.
type badCall struct {
	name   string
	typ    zmq.SocketType
	call   func(*zmq.Socket) error
	op     string
	about  string // the endpoint, or libzmq's name of the option
	is     error
	remedy string // in the error's text
}

// peers has a type for each that it can exchange messages with.
var peers = map[zmq.SocketType]zmq.SocketType{
	zmq.Pair: zmq.Pair, zmq.Dealer: zmq.Dealer, zmq.Router: zmq.Dealer, zmq.Req: zmq.Rep, zmq.Rep: zmq.Req,
	zmq.Pull: zmq.Push, zmq.Push: zmq.Pull, zmq.Sub: zmq.XPub, zmq.Pub: zmq.XSub, zmq.XPub: zmq.XSub, zmq.XSub: zmq.XPub,
}

func testBadCalls(t *testing.T, calls []badCall) {
	for _, b := range calls {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s, check := busySocket(t, b.typ)
			err := b.call(s)
			var e *zmq.Error
			require.ErrorAs(t, err, &e)
			require.ErrorIs(t, err, b.is)
			require.Equal(t, b.op, e.Op)
			if e.Option != "" {
				require.Equal(t, b.about, e.Option)
			} else {
				require.Equal(t, b.about, e.Endpoint)
			}
			require.Contains(t, err.Error(), b.remedy)
			check()
		})
	}
}

// busySocket returns a socket on which something waits to be received, if its
// type can receive, and a function that makes sure that it is still there and
// that the socket goes on working.
func busySocket(t *testing.T, typ zmq.SocketType) (s *zmq.Socket, check func()) {
	t.Helper()
	if typ == zmq.Stream {
		return newSocket(t, newContext(t), typ), func() {}
	}
	peer, s := pair(t, peers[typ], typ, inprocName(), zmq.RecvTimeout.To(10*time.Second), zmq.SendTimeout.To(10*time.Second))
	message := [][]byte{[]byte("first"), []byte("second")}
	send := func() { require.NoError(t, peer.SendMultipart(context.Background(), message)) }
	receive := func() {
		got := recvParts(t, s)
		require.Equal(t, message, got[len(got)-2:])
	}
	switch typ {
	case zmq.Push, zmq.Pub:
		return s, func() {
			if typ == zmq.Pub {
				require.NoError(t, peer.Send(context.Background(), []byte{1}))
				// Reading the events makes a PUB take notice of its subscribers.
				zmqtest.Get(t, zmq.Events, s)
			}
			require.NoError(t, s.SendMultipart(context.Background(), message))
			require.Equal(t, message, recvParts(t, peer))
		}
	case zmq.Req:
		return s, func() {
			require.NoError(t, s.SendMultipart(context.Background(), message))
			recvParts(t, peer)
			send()
			receive()
		}
	case zmq.Sub, zmq.XSub:
		if typ == zmq.Sub {
			require.NoError(t, s.Subscribe(""))
		} else {
			require.NoError(t, s.Send(context.Background(), []byte{1}))
		}
		recvBytes(t, peer)
	}
	send()
	return s, func() {
		receive()
		if typ == zmq.Rep {
			require.NoError(t, s.Send(context.Background(), nil))
			recvParts(t, peer)
		}
		send()
		receive()
	}
}

// A setting that fails leaves no socket and no context behind.
func TestBadInputAtBirth(t *testing.T) {
	t.Parallel()
	zctx := newContext(t, zmq.MaxSockets.To(1))
	for range 10 {
		require.Eventually(t, func() bool { // libzmq frees the only place in the background
			_, err := zctx.NewSocket(zmq.Pair, zmq.Linger.To(0), zmq.TOS.To(256))
			return errors.Is(err, syscall.EINVAL) && strings.Contains(err.Error(), "TOS")
		}, 10*time.Second, time.Millisecond)
		require.ErrorIs(t, errOf(zmq.NewContext(zmq.IOThreads.To(-1))), syscall.EINVAL)
	}
}

func TestBadInputHandles(t *testing.T) {
	t.Parallel()
	for _, s := range []*zmq.Socket{nil, {}} {
		for i, call := range zmqtest.SocketCalls {
			err := call(s)
			var e *zmq.Error
			require.ErrorAs(t, err, &e, i)
			require.ErrorIs(t, err, zmq.ErrClosed, i)
			require.NotEmpty(t, e.Op)
		}
		require.ErrorContains(t, s.Send(context.Background(), nil), "Context.NewSocket")
		require.EqualValues(t, -1, s.Type())
		require.NoError(t, s.Close())
		for _, err := range s.Messages(t.Context()) {
			require.ErrorIs(t, err, zmq.ErrClosed)
		}
	}
	closed := newContext(t)
	require.NoError(t, closed.Close())
	for i, zctx := range []*zmq.Context{nil, {}, closed} {
		_, err := zctx.NewSocket(zmq.Pair)
		require.ErrorIs(t, err, zmq.ErrClosed, i)
		require.ErrorIs(t, err, net.ErrClosed, i)
		require.ErrorContains(t, err, "context", i)
		require.ErrorIs(t, zctx.Set(zmq.IOThreads.To(1)), zmq.ErrClosed, i)
		_, err = zmq.IOThreads.Get(zctx)
		require.ErrorIs(t, err, zmq.ErrClosed, i)
		require.ErrorContains(t, err, "context is", i)
		if zctx != closed {
			require.ErrorIs(t, zctx.Shutdown(), zmq.ErrClosed, i)
			require.ErrorIs(t, zctx.Close(), zmq.ErrClosed, i)
		}
	}
}

func TestBadInputDirection(t *testing.T) {
	send := func(s *zmq.Socket) error { return s.Send(context.Background(), []byte("x")) }
	recv := func(s *zmq.Socket) error { _, err := s.RecvBytes(context.Background()); return err }
	testBadCalls(t, []badCall{
		{"send on a PULL", zmq.Pull, send, "send", "", zmq.ErrNotSupported, "type of socket"},
		{"send on a SUB", zmq.Sub, send, "send", "", zmq.ErrNotSupported, "type of socket"},
		{"recv on a PUSH", zmq.Push, recv, "recv", "", zmq.ErrNotSupported, "type of socket"},
		{"recv on a PUB", zmq.Pub, recv, "recv", "", zmq.ErrNotSupported, "type of socket"},
		{"no parts", zmq.Dealer, func(s *zmq.Socket) error { return s.SendMultipart(context.Background(), nil) }, "send", "", syscall.EINVAL, "at least one part"},
		{"more of a whole message", zmq.Dealer, func(s *zmq.Socket) error { return s.SendMultipart(context.Background(), [][]byte{{1}}, zmq.SendMore) }, "send", "", syscall.EINVAL, "all parts at once"},
		{"no message", zmq.Dealer, func(s *zmq.Socket) error { return s.SendMessage(context.Background(), nil) }, "send", "", syscall.EINVAL, "pass its address"},
		{"to nobody", zmq.Router, func(s *zmq.Socket) error {
			return errors.Join(s.Set(zmq.RouterMandatory.To(true)), s.SendMultipart(context.Background(), [][]byte{[]byte("nobody"), {1}}))
		}, "send", "", zmq.ErrHostUnreachable, "no peer with this routing ID"},
	})
}
