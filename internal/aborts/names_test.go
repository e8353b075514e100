//go:build unix

package aborts

import (
	"context"
	"net"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

func tryConflatedName(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	name := zmqtest.InprocName()
	push := zmqtest.NewSocket(t, zctx, zmq.Push, zmq.Conflate.To(true))
	report(push.Connect(name))
	pull := zmqtest.NewSocket(t, zctx, zmq.Pull)
	require.NoError(t, pull.Bind(name))
	report(push.Connect(name))
	require.NoError(t, push.SendString(context.Background(), "newest"))
	got, err := pull.RecvString(zmqtest.Within(t))
	require.NoError(t, err)
	require.Equal(t, "newest", got)
	report(push.Disconnect(name))
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Rep} {
		name := zmqtest.InprocName()
		require.NoError(t, zmqtest.NewSocket(t, zctx, typ).Bind(name))
		report(zmqtest.NewSocket(t, zctx, zmq.Dealer, zmq.Conflate.To(true)).Connect(name))
	}
}

func tryConflatedParts(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	s, to := zmqtest.NewSocket(t, zctx, zmq.Push, zmq.Conflate.To(true)), zmqtest.NewSocket(t, zctx, zmq.Pull)
	zmqtest.Connect(t, s, to, zmqtest.InprocName())
	a, b := []byte("a"), []byte("b")
	report(s.SendMultipart(context.Background(), [][]byte{a, b}))
	report(s.Send(context.Background(), a, zmq.SendMore))
	m, err := zmq.NewMessageBytes(b)
	require.NoError(t, err)
	report(s.SendMessage(context.Background(), m, zmq.SendMore))
	report(s.SendMessageTo(context.Background(), a, m))
	batch := zmq.NewBatch(3)
	defer batch.Close()
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
	_, err = to.RecvBytes(zmqtest.Within(t))
	report(err)
	other := zmqtest.NewSocket(t, zctx, zmq.Pull)
	_, err = zmq.NewSteerableProxy(other, s, nil)
	report(err)
	_, err = zmq.NewSteerableProxy(other, zmqtest.NewSocket(t, zctx, zmq.Push), s)
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
	dealer := zmqtest.NewSocket(t, zctx, zmq.Dealer, zmq.Linger.To(-1))
	require.NoError(t, dealer.Connect(name))
	require.NoError(t, dealer.SendString(context.Background(), "left"))
	return dealer
}

func tryWelcome(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	for _, leave := range []func(s *zmq.Socket, name string) error{
		disconnectMessage(t, zctx),
		leaveMessage(t, zctx),
		func(_ *zmq.Socket, name string) error {
			pair := zmqtest.NewSocket(t, zctx, zmq.Pair)
			require.NoError(t, pair.Connect(name))
			return pair.Connect(name)
		},
	} {
		name := zmqtest.InprocName()
		sub := zmqtest.NewSocket(t, zctx, zmq.Sub)
		require.NoError(t, sub.Connect(name))
		require.NoError(t, leave(sub, name))
		report(zmqtest.NewSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true), zmq.XPubWelcomeMessage.To([]byte("hi"))).Bind(name))
		require.NoError(t, zmqtest.NewSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true)).Bind(name), "without a welcome it may")
	}
	name := zmqtest.InprocName()
	forgotten := zmqtest.NewSocket(t, zctx, zmq.Sub)
	require.NoError(t, forgotten.Connect(name))
	require.NoError(t, forgotten.Disconnect(name))
	require.NoError(t, forgotten.Connect(name))
	require.NoError(t, forgotten.Close())
	report(zmqtest.NewSocket(t, zctx, zmq.XPub, zmq.XPubWelcomeMessage.To([]byte("hi"))).Bind(name))
	name = zmqtest.InprocName()
	sub := zmqtest.NewSocket(t, zctx, zmq.Sub)
	require.NoError(t, sub.Subscribe(""))
	require.NoError(t, sub.Connect(name))
	report(zmqtest.NewSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true), zmq.XPubWelcomeMessage.To([]byte("hi"))).Bind(name))
	got, err := sub.RecvString(zmqtest.Within(t))
	require.NoError(t, err)
	require.Equal(t, "hi", got)
}

func tryRawInproc(t *testing.T, report func(error)) {
	s := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Router, zmq.RouterRaw.To(true))
	report(s.Bind("inproc://raw"))
	report(s.Connect("inproc://raw"))
}

func trySubThatBinds(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	for _, waiting := range []zmq.SocketType{zmq.Router, zmq.Rep} {
		for _, typ := range []zmq.SocketType{zmq.Sub, zmq.XSub} {
			name := zmqtest.InprocName()
			require.NoError(t, zmqtest.NewSocket(t, zctx, waiting, zmq.RecvHWM.To(1)).Connect(name))
			s := zmqtest.NewSocket(t, zctx, typ, zmq.HWM(1))
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
	name := zmqtest.InprocName()
	pub, sub := zmqtest.NewSocket(t, zctx, zmq.Pub, zmq.TrackSubscriptions.To(true)), zmqtest.NewSocket(t, zctx, zmq.Sub)
	require.NoError(t, pub.Connect(name))
	require.NoError(t, sub.Subscribe(""))
	report(sub.Bind(name))
	require.NoError(t, pub.WaitSubscribers(zmqtest.Within(t), 1))
}

func tryOwnName(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	name := zmqtest.InprocName()
	d, router := zmqtest.NewSocket(t, zctx, zmq.Dealer), zmqtest.NewSocket(t, zctx, zmq.Router)
	require.NoError(t, d.Bind(name))
	require.NoError(t, d.Connect(name))
	report(d.Disconnect(name))
	report(d.Unbind(name))
	report(router.Connect(name))
	report(router.Disconnect(name)) // it is unbound now
	report(zmqtest.NewSocket(t, zctx, zmq.Dealer).Bind(name))
}

func tryHelloProbe(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	s := zmqtest.NewSocket(t, zctx, zmq.Dealer)
	if err := s.Set(zmq.HelloMessage.To([]byte("hello"))); err != nil {
		report(err)
		return
	}
	report(s.Set(zmq.ProbeRouter.To(true)))
	require.NoError(t, s.Set(zmq.HelloMessage.To(nil), zmq.ProbeRouter.To(true)))
	report(s.Set(zmq.HelloMessage.To([]byte("hello"))))
	require.NoError(t, s.Set(zmq.ProbeRouter.To(false), zmq.HelloMessage.To([]byte("hello"))))
}

func tryWS(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	const any = "ws://127.0.0.1:*"
	if !zmq.Has("WS") {
		report(zmqtest.NewSocket(t, zctx, zmq.Pull).Bind(any))
		return
	}
	report(zmqtest.NewSocket(t, zctx, zmq.Stream).Bind(any))
	report(zmqtest.NewSocket(t, zctx, zmq.Router, zmq.RouterRaw.To(true)).Bind(any))
	report(zmqtest.NewSocket(t, zctx, zmq.Pull, zmq.HeartbeatInterval.To(1)).Bind(any))
	pull := zmqtest.NewSocket(t, zctx, zmq.Pull)
	require.NoError(t, pull.Bind(any))
	report(pull.Set(zmq.HeartbeatInterval.To(1)))
	at := zmqtest.LastEndpoint(t, pull)
	report(zmqtest.NewSocket(t, zctx, zmq.Router, zmq.Immediate.To(true)).Connect(at))
	report(zmqtest.NewSocket(t, zctx, zmq.Rep, zmq.Immediate.To(true)).Connect(at))
	report(zmqtest.NewSocket(t, zctx, zmq.Push, zmq.Immediate.To(true)).Connect(at))
}

func tryPackets(t *testing.T, report func(error)) {
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
	report(zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Push).Set(zmq.UseFD.To(int(f.Fd()))))
}

func tryManualOff(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	xpub := zmqtest.NewSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true), zmq.XPubManual.To(true), zmq.XPubManual.To(false), zmq.XPubManual.To(true))
	name := zmqtest.InprocName()
	require.NoError(t, xpub.Bind(name))
	push := zmqtest.NewSocket(t, zctx, zmq.Push)
	require.NoError(t, push.Connect(name))
	require.NoError(t, push.Send(context.Background(), append([]byte{1}, make([]byte, 1<<18)...)))
	_, err := xpub.RecvBytes(zmqtest.Within(t))
	require.NoError(t, err)
	report(xpub.Set(zmq.XPubManual.To(false)))
	require.NoError(t, push.Close())
	report(xpub.Close())
}

// tryUnbindAfterLook unbinds what a connection of the socket to itself goes over, when
// libzmq has begun to read a message that came by it.
func tryUnbindAfterLook(t *testing.T, report func(error)) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at := "tcp://" + l.Addr().String()
	f, err := l.(*net.TCPListener).File()
	require.NoError(t, err)
	s := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Router, zmq.ConnectRoutingID.To([]byte("self")), zmq.UseFD.To(int(f.Fd())))
	require.NoError(t, s.Connect(at))
	require.NoError(t, s.Bind(at))
	require.NoError(t, f.Close())
	require.NoError(t, l.Close())
	parts := [][]byte{[]byte("self"), []byte("a"), []byte("b"), []byte("c")}
	require.NoError(t, s.SendMultipart(context.Background(), parts))
	got, err := s.RecvMultipart(zmqtest.Within(t))
	require.NoError(t, err)
	// The answer comes by the end that was bound.
	require.NoError(t, s.SendMultipart(context.Background(), append(got[:1], []byte("x"), []byte("y"), []byte("z"))))
	for {
		events := zmqtest.Get(t, zmq.Events, s)
		if events&libzmq.EventIn != 0 {
			break
		}
	}
	require.NoError(t, s.Unbind(at))
	got, err = s.RecvMultipart(context.Background(), zmq.DontWait)
	require.Len(t, got, 4)
	report(err)
}
