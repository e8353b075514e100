//go:build unix

package zmq_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// Connections made, ended and described in an order that libzmq does not bear.
var attachDeaths = []death{
	{"04b UseFD with a bad descriptor", dieOfUseFD, []wanted{
		want(syscall.EBADF, "USE_FD", "9999", "listening"),
		want(syscall.ENOTSOCK, "USE_FD", "listening"),
		want(syscall.EINVAL, "USE_FD", "does not listen"),
		want(syscall.EINVAL, "USE_FD", "does not listen"),
		want(syscall.EINVAL, "bind", "ipc://*", "UseFD", "TCP"),
		fine,
	}},
	{"08 disconnect in the middle of a message", dieOfHalfRead, times(4, want(zmq.ErrAgain, "recv"))},
	{"08 disconnect after a look at the events", dieOfLook, times(len(receivers)*len(looks), fine)},
	{"08 disconnect while another waits for the message", dieOfForgottenWaiter, times(1, fine)},
	{"13 Immediate changed after Connect", dieOfImmediate, times(2, want(syscall.EINVAL, "IMMEDIATE", "after the first Bind or Connect", "earlier"))},
	{"14 a PAIR answers for the authenticator", dieOfZap, []wanted{want(syscall.EINVAL, "bind", "inproc://zeromq.zap.01", "ROUTER or REP")}},
	{"15 PLAIN server without its domain", dieOfPlainDomain, []wanted{want(syscall.EINVAL, "bind", "tcp://127.0.0.1:*", "ZapDomain")}},
	{"39 a socket that asks the authenticator connects", dieOfAsking, times(4, want(syscall.EINVAL, "connect", "may not connect", "bind this socket"))},
	{"24 high-water marks changed on a connected socket", dieOfLateHWM, []wanted{
		want(syscall.EINVAL, "SNDHWM", "after the first Bind or Connect", "earlier"),
		want(syscall.EINVAL, "RCVHWM", "after the first Bind or Connect", "earlier"),
		want(syscall.EINVAL, "SNDHWM", "after the first Bind or Connect", "earlier"),
		want(syscall.EINVAL, "RCVHWM", "after the first Bind or Connect", "earlier"),
		want(syscall.EINVAL, "CONFLATE", "after the first Bind or Connect", "earlier"),
	}},
	{"28 a host name too long for a SOCKS proxy", dieOfSocksHost, []wanted{want(syscall.ENAMETOOLONG, "connect", "the limit is 253")}},
}

// dieOfUseFD gives libzmq descriptors at which it would abort, and then a good one
// that the program closes too early.
func dieOfUseFD(t *testing.T, report func(error)) {
	zctx := newContext(t)
	s, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
	report(s.Set(zmq.UseFD.To(9999)))

	r, w, err := os.Pipe()
	require.NoError(t, err)
	report(s.Set(zmq.UseFD.To(int(r.Fd()))))
	require.NoError(t, r.Close())
	require.NoError(t, w.Close())

	for _, kind := range []int{syscall.SOCK_STREAM, syscall.SOCK_DGRAM} {
		fd, err := syscall.Socket(syscall.AF_INET, kind, 0)
		require.NoError(t, err)
		report(s.Set(zmq.OptionByNumber[int](zmq.UseFD.Number()).To(fd)))
		require.NoError(t, syscall.Close(fd))
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	endpoint := "tcp://" + l.Addr().String()
	file, err := l.(*net.TCPListener).File()
	require.NoError(t, err)
	require.NoError(t, s.Set(zmq.UseFD.To(int(file.Fd()))))
	report(s.Bind("ipc://*"))
	require.NoError(t, file.Close())
	require.NoError(t, l.Close())
	require.NoError(t, s.Bind(endpoint))
	require.NoError(t, push.Connect(endpoint))
	requireWorks(t, push, s)
	// The descriptor served one Bind; this one is a listener of its own.
	report(s.Bind("tcp://127.0.0.1:*"))
}

// dieOfHalfRead disconnects between two parts of a message.
func dieOfHalfRead(t *testing.T, report func(error)) {
	for _, typ := range []zmq.SocketType{zmq.Pull, zmq.Dealer} {
		for _, endpoint := range []string{"tcp://127.0.0.1:*", inprocName()} {
			peer := zmq.Push
			if typ == zmq.Dealer {
				peer = zmq.Dealer
			}
			zctx := newContext(t)
			b, s := newSocket(t, zctx, peer), newSocket(t, zctx, typ)
			connect(t, b, s, endpoint)
			endpoint, err := b.LastEndpoint()
			require.NoError(t, err)
			require.NoError(t, b.SendMultipart(context.Background(), [][]byte{[]byte("a"), []byte("b"), []byte("c")}))
			for i, want := range []string{"a", "b", "c"} {
				part, err := s.RecvString(context.Background())
				require.NoError(t, err)
				require.Equal(t, want, part)
				if i == 0 {
					require.True(t, s.RecvMore())
					require.NoError(t, s.Disconnect(endpoint))
				}
			}
			_, err = s.RecvBytes(context.Background(), zmq.DontWait)
			report(err)
		}
	}
}

// receivers are the types that receive messages of several parts, each with a peer
// that sends them.
var receivers = []struct{ typ, peer zmq.SocketType }{
	{zmq.Pull, zmq.Push},
	{zmq.Dealer, zmq.Dealer},
	{zmq.Router, zmq.Dealer},
	{zmq.Rep, zmq.Dealer},
	{zmq.Sub, zmq.XPub},
	{zmq.XSub, zmq.XPub},
	{zmq.Pair, zmq.Pair},
	{zmq.XPub, zmq.XSub},
}

// looks are the ways to ask whether there is a message. Some types take its first
// part out of the queue to answer that.
var looks = map[string]func(context.Context, *zmq.Socket) error{
	"WaitReadable": func(ctx context.Context, s *zmq.Socket) error { return s.WaitReadable(ctx) },
	"Events": func(ctx context.Context, s *zmq.Socket) error {
		for ctx.Err() == nil {
			if events, err := zmq.Events.Get(s); events&1 != 0 || err != nil {
				return err
			}
		}
		return ctx.Err()
	},
}

// dieOfLook disconnects between a look and the receive that it is for.
func dieOfLook(t *testing.T, report func(error)) {
	for _, look := range looks {
		for _, r := range receivers {
			zctx := newContext(t)
			b, s := newSocket(t, zctx, r.peer), newSocket(t, zctx, r.typ)
			connect(t, b, s, inprocName())
			endpoint, err := b.LastEndpoint()
			require.NoError(t, err)
			switch r.typ {
			case zmq.Sub:
				require.NoError(t, s.Subscribe(""))
			case zmq.XSub:
				require.NoError(t, s.Send(context.Background(), []byte{1}))
			}
			if r.peer == zmq.XPub {
				_, err := b.RecvBytes(context.Background())
				require.NoError(t, err)
			}
			want := [][]byte{{}, []byte("a"), []byte("b"), []byte("c")}
			require.NoError(t, b.SendMultipart(context.Background(), want))
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			require.NoError(t, look(ctx, s), "%v", r.typ)
			cancel()
			require.NoError(t, s.Disconnect(endpoint))
			// The message is there whole, or gone.
			got, err := s.RecvMultipart(context.Background(), zmq.DontWait)
			if errors.Is(err, zmq.ErrAgain) {
				err = nil
			} else if err == nil {
				require.Equal(t, want[len(want)-1], got[len(got)-1], "%v", r.typ)
				require.False(t, s.RecvMore())
				_, again := s.RecvMultipart(context.Background(), zmq.DontWait)
				require.Error(t, again, "nothing else was sent")
			}
			report(err)
		}
	}
}

// dieOfForgottenWaiter disconnects at the moment at which a message arrives that
// somebody waits for. It is received at once or lost with the connection, but not
// found only when the wait ends.
func dieOfForgottenWaiter(t *testing.T, report func(error)) {
	const limit = 2 * time.Second
	zctx := newContext(t)
	var late atomic.Int64
	var receivers, senders sync.WaitGroup
	var dealers, routers []*zmq.Socket
	for range 200 {
		dealer, router := newSocket(t, zctx, zmq.Dealer), newSocket(t, zctx, zmq.Router, zmq.RecvTimeout.To(limit))
		connect(t, dealer, router, inprocName())
		dealers, routers = append(dealers, dealer), append(routers, router)
		receivers.Go(func() {
			begin := time.Now()
			if _, err := router.RecvMultipart(context.Background()); err == nil && time.Since(begin) >= limit {
				late.Add(1)
			}
		})
	}
	for i, router := range routers {
		endpoint, err := dealers[i].LastEndpoint()
		require.NoError(t, err)
		senders.Go(func() { _ = dealers[i].Send(context.Background(), []byte("x"), zmq.DontWait) })
		for range i % 8 {
			runtime.Gosched()
		}
		require.NoError(t, router.Disconnect(endpoint))
	}
	senders.Wait()
	receivers.Wait()
	for i := range routers {
		require.NoError(t, errors.Join(dealers[i].Close(), routers[i].Close()))
	}
	if n := late.Load(); n > 0 {
		report(fmt.Errorf("%d receivers were forgotten", n))
		return
	}
	report(nil)
}

func dieOfImmediate(t *testing.T, report func(error)) {
	zctx := newContext(t)
	pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push, zmq.Immediate.To(true))
	connect(t, pull, push, "tcp://127.0.0.1:*")
	requireWorks(t, push, pull)
	report(push.Set(zmq.Immediate.To(false)))
	report(push.Set(zmq.OptionByNumber[int](39).To(0)))
	endpoint, err := pull.LastEndpoint()
	require.NoError(t, err)
	require.NoError(t, pull.Close())
	// The socket loses its peer, and finds the next one.
	again := newSocket(t, zctx, zmq.Pull)
	require.Eventually(t, func() bool { return again.Bind(endpoint) == nil }, 10*time.Second, time.Millisecond)
	require.Eventually(t, func() bool {
		_ = push.Send(context.Background(), []byte("x"), zmq.DontWait)
		_, err := again.RecvBytes(context.Background(), zmq.DontWait)
		return err == nil
	}, 30*time.Second, time.Millisecond)
}

func dieOfZap(t *testing.T, report func(error)) {
	report(newSocket(t, newContext(t), zmq.Pair).Bind("inproc://zeromq.zap.01"))
}

func dieOfPlainDomain(t *testing.T, report func(error)) {
	s := newSocket(t, newContext(t), zmq.Pull, zmq.PlainServer.To(true), zmq.ZapEnforceDomain.To(true))
	report(s.Bind("tcp://127.0.0.1:*"))
}

// dieOfAsking connects servers to a peer that leaves while the authenticator
// thinks. Its answer would reach a connection that is not there any more.
func dieOfAsking(t *testing.T, report func(error)) {
	zctx := newContext(t)
	require.NoError(t, newSocket(t, zctx, zmq.Router).Bind("inproc://zeromq.zap.01"))
	_, secret, err := zmq.NewCurveKeypair()
	require.NoError(t, err)
	for _, settings := range [][]zmq.Setting{
		{zmq.PlainServer.To(true)},
		{zmq.ZapDomain.To("domain")},
		{zmq.CurveServer.To(true), zmq.CurveSecretKey.To(secret)},
		{zmq.AsCurveServer(secret, zmq.Authenticated("domain"))},
	} {
		report(newSocket(t, zctx, zmq.Pull, settings...).Connect("tcp://127.0.0.1:1"))
	}
}

// dieOfLateHWM changes what a connection's queues were made with, while
// connections come and go.
func dieOfLateHWM(t *testing.T, report func(error)) {
	zctx := newContext(t)
	pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
	connect(t, pull, push, "tcp://127.0.0.1:*")
	report(pull.Set(zmq.SendHWM.To(5)))
	report(pull.Set(zmq.RecvHWM.To(5)))
	report(push.Set(zmq.OptionByNumber[int](23).To(5)))
	report(push.Set(zmq.OptionByNumber[int](24).To(5)))
	report(push.Set(zmq.Conflate.To(true)))
	requireWorks(t, push, pull)
}

func dieOfSocksHost(t *testing.T, report func(error)) {
	s := newSocket(t, newContext(t), zmq.Push, zmq.SocksProxy.To("127.0.0.1:1"))
	report(s.Connect(fmt.Sprintf("tcp://%0300d:80", 1)))
}
