package zmq_test

import (
	"context"
	"errors"
	"math"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
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

// TestEndpointsRefused has all endpoints that are refused. This test is about the socket after one.
func TestBadInputEndpoints(t *testing.T) {
	long := "ipc:///" + strings.Repeat("p", 108)
	var calls []badCall
	for _, c := range []struct {
		endpoint string
		is       error
		remedy   string
	}{
		{"", syscall.EINVAL, "tcp://127.0.0.1:5555"},
		{"127.0.0.1:5555", syscall.EINVAL, "tcp://127.0.0.1:5555"},
		{"http://127.0.0.1:5555", syscall.ENOTSUP, `no transport "http"`},
		{"tcp://[::1]:5555", syscall.EINVAL, "set IPv6"},
		{long, syscall.ENAMETOOLONG, "the limit is 107"},
		{"tcp://127.0.0.1:5555\x00", syscall.EINVAL, "NUL"},
		{"udp://127.0.0.1:5555", syscall.Errno(libzmq.ENOCOMPATPROTO), "RADIO"},
	} {
		name := strings.ReplaceAll(c.endpoint[:min(len(c.endpoint), 30)], "/", "|")
		calls = append(calls,
			badCall{"bind " + name, zmq.Pair, func(s *zmq.Socket) error { return s.Bind(c.endpoint) }, "bind", c.endpoint, c.is, c.remedy},
			badCall{"connect " + name, zmq.Pair, func(s *zmq.Socket) error { return s.Connect(c.endpoint) }, "connect", c.endpoint, c.is, c.remedy})
	}
	const missing = "ipc:///nonexistent-dir/socket"
	calls = append(calls,
		badCall{"bind in no directory", zmq.Pull, func(s *zmq.Socket) error { return s.Bind(missing) }, "bind", missing, syscall.ENOENT, "create it first"},
		badCall{"bind a foreign address", zmq.Pull, func(s *zmq.Socket) error { return s.Bind("tcp://192.0.2.1:5555") }, "bind", "tcp://192.0.2.1:5555", syscall.EADDRNOTAVAIL, ""},
		badCall{"connect to a wildcard", zmq.Push, func(s *zmq.Socket) error { return s.Connect("tcp://*:5555") }, "connect", "tcp://*:5555", syscall.EINVAL, "for Bind"},
		badCall{"unbind what is not bound", zmq.Pull, func(s *zmq.Socket) error { return s.Unbind("tcp://127.0.0.1:5") }, "unbind", "tcp://127.0.0.1:5", syscall.ENOENT, "not bound"},
		badCall{"disconnect what is not connected", zmq.Dealer, func(s *zmq.Socket) error { return s.Disconnect("tcp://127.0.0.1:5") }, "disconnect", "tcp://127.0.0.1:5", syscall.ENOENT, "connected to inproc://"},
	)
	testBadCalls(t, calls)
}

func TestBadInputAddressInUse(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{tcp, inprocName()} { // a second ipc socket takes the path over
		a, push := pair(t, zmq.Pull, zmq.Push, endpoint)
		at := last(t, a)
		requireFails(t, newSocket(t, a.Context(), zmq.Pull).Bind(at), syscall.EADDRINUSE, at)
		zmqtest.RequireWorks(t, push, a)
	}
}

func TestBadInputOptions(t *testing.T) {
	set := func(settings ...zmq.Setting) func(*zmq.Socket) error {
		return func(s *zmq.Socket) error { return s.Set(settings...) }
	}
	testBadCalls(t, []badCall{
		{"out of range", zmq.Dealer, set(zmq.RecvBuffer.To(-2)), "set", "RCVBUF", syscall.EINVAL, "-1 to"},
		{"beyond C's int", zmq.Dealer, set(zmq.SendBuffer.To(math.MaxInt)), "set", "SNDBUF", syscall.EINVAL, "to 2147483647"},
		{"duration beyond C's int", zmq.Dealer, set(zmq.ReconnectInterval.To(math.MaxInt64)), "set", "RECONNECT_IVL", syscall.EINVAL, "the allowed range is"},
		{"subscribe on a PULL", zmq.Pull, func(s *zmq.Socket) error { return s.Subscribe("") }, "set", "SUBSCRIBE", syscall.EINVAL, "only SUB"},
		{"the limit is 107", zmq.Dealer, set(zmq.RoutingID.To(make([]byte, 256))), "set", "ROUTING_ID", syscall.EINVAL, "1 to 255"},
		{"write only", zmq.Sub, func(s *zmq.Socket) error { _, err := zmq.Subscribe.Get(s); return err }, "get", "SUBSCRIBE", syscall.EINVAL, "keep the value"},
		{"unknown number", zmq.Dealer, set(zmq.OptionByNumber[int](9999).To(1)), "set", "option 9999", syscall.EINVAL, "does not have this option"},
		{"no setting", zmq.Dealer, set(zmq.Setting{}), "set", "", syscall.EINVAL, "To"},
		{"no option", zmq.Dealer, set(zmq.Option[int]{}.To(1)), "set", "", syscall.EINVAL, "To"},
		{"a key that is none", zmq.Dealer, set(zmq.CurveServerKey.To("short")), "set", "CURVE_SERVERKEY", syscall.EINVAL, "40 characters"},
		{"a text as long as the bytes of a key", zmq.Dealer, set(zmq.CurveServerKey.To(strings.Repeat("k", 32))), "set", "CURVE_SERVERKEY", syscall.EINVAL, "40 characters"},
		{"the second of two", zmq.Dealer, set(zmq.Linger.To(0), zmq.TOS.To(256)), "set", "TOS", syscall.EINVAL, "0 to 255"},
	})
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

func TestBadInputState(t *testing.T) {
	t.Parallel()
	rep, req := pair(t, zmq.Rep, zmq.Req, inprocName())
	ctx := context.Background()
	state := func(err error, op string) {
		t.Helper()
		requireFails(t, err, zmq.ErrState, "a REQ must send before it receives, and a REP must receive before it sends")
		require.Equal(t, op, err.(*zmq.Error).Op)
	}
	for range 3 {
		state(errOf(req.RecvBytes(ctx)), "recv")
		state(rep.Send(ctx, []byte("reply")), "send")
		require.NoError(t, req.Send(ctx, []byte("request")))
		state(req.Send(ctx, []byte("again")), "send")
		state(req.SendMultipart(ctx, [][]byte{{1}, {2}}), "send")
		require.Equal(t, "request", recvString(t, rep))
		state(errOf(rep.RecvBytes(ctx)), "recv")
		require.NoError(t, rep.Send(ctx, []byte("reply")))
		require.Equal(t, "reply", recvString(t, req))
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
