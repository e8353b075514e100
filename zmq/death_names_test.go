//go:build unix

package zmq_test

import (
	"context"
	"net"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/zmq"
)

// What libzmq does at a bind to an inproc name that sockets are connected to, with Conflate,
// and to connections that do not bear what they are used for.
var nameDeaths = []death{
	{"46 Conflate and inproc names", dieOfConflatedName, []wanted{
		want(syscall.EINVAL, "connect", "inproc://", "bind the name first"), fine, fine,
		want(syscall.EINVAL, "connect", "inproc://", "without Conflate"), want(syscall.EINVAL, "connect", "inproc://", "without Conflate"),
	}},
	{"47 several parts sent with Conflate", dieOfConflatedParts, append(times(6, want(syscall.EINVAL, "Conflate", "put the parts into one")),
		append(times(2, fine), times(2, want(zmq.ErrNotSupported, "proxy", "Conflate"))...)...)},
	{"48 a welcome to a socket that has left", dieOfWelcome, append(
		times(3, want(syscall.EINVAL, "bind", "inproc://", "XPubWelcomeMessage")), fine, fine)},
	{"49 a raw ROUTER over inproc", dieOfRawInproc, times(2, want(syscall.EPROTONOSUPPORT, "inproc://raw", "RouterRaw", "tcp"))},
	{"50 a SUB binds a name that a ROUTER or REP is connected to", dieOfSubThatBinds, append(
		times(4, want(syscall.EINVAL, "bind", "inproc://", "subscriptions")), fine)},
	{"51 a socket disconnects from a name that it bound", dieOfOwnName, []wanted{
		want(syscall.EINVAL, "disconnect", "inproc://", "Unbind it first"), fine, fine,
		want(syscall.EINVAL, "disconnect", "inproc://", "close the"), fine,
	}},
	{"52 HelloMessage with ProbeRouter", dieOfHelloProbe, draftOptionOr("HELLO_MSG",
		want(syscall.EINVAL, "PROBE_ROUTER", "HelloMessage"), want(syscall.EINVAL, "HELLO_MSG", "ProbeRouter"))},
	{"53 what WebSockets do not bear", dieOfWS, withWS(
		want(syscall.EPROTONOSUPPORT, "ws://", "plain TCP"), want(syscall.EPROTONOSUPPORT, "ws://", "plain TCP"),
		want(syscall.EINVAL, "ws://", "HeartbeatInterval"), want(syscall.EINVAL, "HEARTBEAT_IVL", "WebSockets"),
		want(syscall.EINVAL, "ws://", "Immediate"), want(syscall.EINVAL, "ws://", "Immediate"), fine)},
	{"54 UseFD with a socket of packets", dieOfPackets, times(1, want(syscall.EINVAL, "USE_FD", "not a stream socket"))},
	{"55 XPubManual turned off", dieOfManualOff, append(times(1, want(syscall.EINVAL, "XPUB_MANUAL", "turned off")), fine)},
	{"56 unbind after a look at the events", dieOfUnbindAfterLook, times(1, fine)},
}

func dieOfConflatedName(t *testing.T, report func(error)) {
	zctx := newContext(t)
	name := inprocName()
	push := newSocket(t, zctx, zmq.Push, zmq.Conflate.To(true))
	report(push.Connect(name))
	pull := newSocket(t, zctx, zmq.Pull)
	require.NoError(t, pull.Bind(name))
	report(push.Connect(name))
	require.NoError(t, push.SendString(context.Background(), "newest"))
	got, err := pull.RecvString(within(t))
	require.NoError(t, err)
	require.Equal(t, "newest", got)
	report(push.Disconnect(name))
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Rep} {
		name := inprocName()
		require.NoError(t, newSocket(t, zctx, typ).Bind(name))
		report(newSocket(t, zctx, zmq.Dealer, zmq.Conflate.To(true)).Connect(name))
	}
}

func dieOfConflatedParts(t *testing.T, report func(error)) {
	zctx := newContext(t)
	s, to := newSocket(t, zctx, zmq.Push, zmq.Conflate.To(true)), newSocket(t, zctx, zmq.Pull)
	connect(t, s, to, inprocName())
	a, b := []byte("a"), []byte("b")
	report(s.SendMultipart(context.Background(), [][]byte{a, b}))
	report(s.Send(context.Background(), a, zmq.SendMore))
	m, err := zmq.NewMessageBytes(b)
	require.NoError(t, err)
	report(s.SendMessage(context.Background(), m, zmq.SendMore))
	report(s.SendMessageTo(context.Background(), a, m))
	batch := newBatch(t, 3)
	require.NoError(t, batch.Append(a))
	require.NoError(t, batch.Append(a, b))
	_, err = s.SendBatch(context.Background(), batch)
	report(err)
	parts := make(zmq.Multipart, 2)
	require.NoError(t, parts[0].Alloc(1))
	require.NoError(t, parts[1].Alloc(1))
	report(s.SendMultipartMessage(context.Background(), parts))
	require.NoError(t, parts.Close())
	report(s.SendMessage(context.Background(), m))
	_, err = to.RecvBytes(within(t))
	report(err)
	other := newSocket(t, zctx, zmq.Pull)
	_, err = zmq.NewSteerableProxy(other, s, nil)
	report(err)
	_, err = zmq.NewSteerableProxy(other, newSocket(t, zctx, zmq.Push), s)
	report(err)
}

// leaveMessage leaves a message for a name that is not bound, of a socket that was closed.
func leaveMessage(t *testing.T, zctx *zmq.Context) func(*zmq.Socket, string) error {
	return func(_ *zmq.Socket, name string) error { return sentTo(t, zctx, name).Close() }
}

// disconnectMessage leaves a message of a socket that stays open.
func disconnectMessage(t *testing.T, zctx *zmq.Context) func(*zmq.Socket, string) error {
	return func(_ *zmq.Socket, name string) error { return sentTo(t, zctx, name).Disconnect(name) }
}

func sentTo(t *testing.T, zctx *zmq.Context, name string) *zmq.Socket {
	dealer := newSocket(t, zctx, zmq.Dealer, zmq.Linger.To(-1))
	require.NoError(t, dealer.Connect(name))
	require.NoError(t, dealer.SendString(context.Background(), "left"))
	return dealer
}

func dieOfWelcome(t *testing.T, report func(error)) {
	zctx := newContext(t)
	for _, leave := range []func(s *zmq.Socket, name string) error{
		disconnectMessage(t, zctx),
		leaveMessage(t, zctx),
		func(_ *zmq.Socket, name string) error {
			pair := newSocket(t, zctx, zmq.Pair)
			require.NoError(t, pair.Connect(name))
			return pair.Connect(name)
		},
	} {
		name := inprocName()
		sub := newSocket(t, zctx, zmq.Sub)
		require.NoError(t, sub.Connect(name))
		require.NoError(t, leave(sub, name))
		report(newSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true), zmq.XPubWelcomeMessage.To([]byte("hi"))).Bind(name))
		require.NoError(t, newSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true)).Bind(name), "without a welcome it may")
	}
	name := inprocName()
	forgotten := newSocket(t, zctx, zmq.Sub)
	require.NoError(t, forgotten.Connect(name))
	require.NoError(t, forgotten.Disconnect(name))
	require.NoError(t, forgotten.Connect(name))
	require.NoError(t, forgotten.Close())
	report(newSocket(t, zctx, zmq.XPub, zmq.XPubWelcomeMessage.To([]byte("hi"))).Bind(name))
	name = inprocName()
	sub := newSocket(t, zctx, zmq.Sub)
	require.NoError(t, sub.Subscribe(""))
	require.NoError(t, sub.Connect(name))
	report(newSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true), zmq.XPubWelcomeMessage.To([]byte("hi"))).Bind(name))
	got, err := sub.RecvString(within(t))
	require.NoError(t, err)
	require.Equal(t, "hi", got)
}

func dieOfRawInproc(t *testing.T, report func(error)) {
	s := newSocket(t, newContext(t), zmq.Router, zmq.RouterRaw.To(true))
	report(s.Bind("inproc://raw"))
	report(s.Connect("inproc://raw"))
}

func dieOfSubThatBinds(t *testing.T, report func(error)) {
	zctx := newContext(t)
	for _, waiting := range []zmq.SocketType{zmq.Router, zmq.Rep} {
		for _, typ := range []zmq.SocketType{zmq.Sub, zmq.XSub} {
			name := inprocName()
			require.NoError(t, newSocket(t, zctx, waiting, zmq.RecvHWM.To(1)).Connect(name))
			s := newSocket(t, zctx, typ, zmq.HWM(1))
			for _, topic := range []string{"a", "b", "c", "d"} {
				if typ == zmq.Sub {
					require.NoError(t, s.Subscribe(topic))
				} else {
					require.NoError(t, s.SendString(context.Background(), "\x01"+topic))
				}
			}
			report(s.Bind(name))
		}
	}
	name := inprocName()
	pub, sub := newSocket(t, zctx, zmq.Pub, zmq.TrackSubscriptions.To(true)), newSocket(t, zctx, zmq.Sub)
	require.NoError(t, pub.Connect(name))
	require.NoError(t, sub.Subscribe(""))
	report(sub.Bind(name))
	require.NoError(t, pub.WaitSubscribers(within(t), 1))
}

func dieOfOwnName(t *testing.T, report func(error)) {
	zctx := newContext(t)
	name := inprocName()
	d, router := newSocket(t, zctx, zmq.Dealer), newSocket(t, zctx, zmq.Router)
	require.NoError(t, d.Bind(name))
	require.NoError(t, d.Connect(name))
	report(d.Disconnect(name))
	report(d.Unbind(name))
	report(router.Connect(name))
	report(router.Disconnect(name)) // nobody has bound it now
	report(newSocket(t, zctx, zmq.Dealer).Bind(name))
}

func dieOfHelloProbe(t *testing.T, report func(error)) {
	zctx := newContext(t)
	s := newSocket(t, zctx, zmq.Dealer)
	if err := s.Set(zmq.HelloMessage.To([]byte("hello"))); err != nil {
		report(err)
		return
	}
	report(s.Set(zmq.ProbeRouter.To(true)))
	require.NoError(t, s.Set(zmq.HelloMessage.To(nil), zmq.ProbeRouter.To(true)))
	report(s.Set(zmq.HelloMessage.To([]byte("hello"))))
	require.NoError(t, s.Set(zmq.ProbeRouter.To(false), zmq.HelloMessage.To([]byte("hello"))))
}

// withWS is what is wanted of a libzmq with WebSockets; of another, one refusal.
func withWS(w ...wanted) []wanted {
	if zmq.Has("WS") {
		return w
	}
	return []wanted{want(zmq.ErrNotSupported, "ws", "has no transport")}
}

func dieOfWS(t *testing.T, report func(error)) {
	zctx := newContext(t)
	const any = "ws://127.0.0.1:*"
	if !zmq.Has("WS") {
		report(newSocket(t, zctx, zmq.Pull).Bind(any))
		return
	}
	report(newSocket(t, zctx, zmq.Stream).Bind(any))
	report(newSocket(t, zctx, zmq.Router, zmq.RouterRaw.To(true)).Bind(any))
	report(newSocket(t, zctx, zmq.Pull, zmq.HeartbeatInterval.To(1)).Bind(any))
	pull := newSocket(t, zctx, zmq.Pull)
	require.NoError(t, pull.Bind(any))
	report(pull.Set(zmq.HeartbeatInterval.To(1)))
	at, err := pull.LastEndpoint()
	require.NoError(t, err)
	report(newSocket(t, zctx, zmq.Router, zmq.Immediate.To(true)).Connect(at))
	report(newSocket(t, zctx, zmq.Rep, zmq.Immediate.To(true)).Connect(at))
	report(newSocket(t, zctx, zmq.Push, zmq.Immediate.To(true)).Connect(at))
}

func dieOfPackets(t *testing.T, report func(error)) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		report(&zmq.Error{Op: "set", Option: "USE_FD", Errno: syscall.EINVAL, Detail: "there is no stream socket, nor one of packets: " + err.Error()})
		return
	}
	defer l.Close()
	f, err := l.File()
	require.NoError(t, err)
	defer f.Close()
	report(newSocket(t, newContext(t), zmq.Push).Set(zmq.UseFD.To(int(f.Fd()))))
}

func dieOfManualOff(t *testing.T, report func(error)) {
	zctx := newContext(t)
	xpub := newSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true), zmq.XPubManual.To(true), zmq.XPubManual.To(false), zmq.XPubManual.To(true))
	name := inprocName()
	require.NoError(t, xpub.Bind(name))
	push := newSocket(t, zctx, zmq.Push)
	require.NoError(t, push.Connect(name))
	require.NoError(t, push.Send(context.Background(), append([]byte{1}, make([]byte, 1<<18)...)))
	_, err := xpub.RecvBytes(within(t))
	require.NoError(t, err)
	report(xpub.Set(zmq.XPubManual.To(false)))
	require.NoError(t, push.Close())
	report(xpub.Close())
}

// dieOfUnbindAfterLook unbinds what a connection of the socket to itself goes over, when
// libzmq has begun to read a message that came by it.
func dieOfUnbindAfterLook(t *testing.T, report func(error)) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at := "tcp://" + l.Addr().String()
	f, err := l.(*net.TCPListener).File()
	require.NoError(t, err)
	s := newSocket(t, newContext(t), zmq.Router, zmq.ConnectRoutingID.To([]byte("self")), zmq.UseFD.To(int(f.Fd())))
	require.NoError(t, s.Connect(at))
	require.NoError(t, s.Bind(at))
	require.NoError(t, f.Close())
	require.NoError(t, l.Close())
	parts := [][]byte{[]byte("self"), []byte("a"), []byte("b"), []byte("c")}
	require.NoError(t, s.SendMultipart(context.Background(), parts))
	got, err := s.RecvMultipart(within(t))
	require.NoError(t, err)
	// The answer comes by the end that was bound.
	require.NoError(t, s.SendMultipart(context.Background(), append(got[:1], []byte("x"), []byte("y"), []byte("z"))))
	for {
		events, err := zmq.Events.Get(s)
		require.NoError(t, err)
		if events&libzmq.EventIn != 0 {
			break
		}
	}
	require.NoError(t, s.Unbind(at))
	got, err = s.RecvMultipart(context.Background(), zmq.DontWait)
	require.Len(t, got, 4)
	report(err)
}
