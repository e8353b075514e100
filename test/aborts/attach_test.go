//go:build unix

package aborts

import (
	"context"
	"errors"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// tryUseFD gives libzmq descriptors at which it would abort, and then a good one
// that the program closes too early.
func tryUseFD(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	s, push := zmqtest.NewSocket(t, zctx, zmq.Pull), zmqtest.NewSocket(t, zctx, zmq.Push)
	refused(t, s.Set(zmq.UseFD.To(9999)), syscall.EBADF, "USE_FD", "9999", "listening")

	r, w, err := os.Pipe()
	require.NoError(t, err)
	refused(t, s.Set(zmq.UseFD.To(int(r.Fd()))), syscall.ENOTSOCK, "USE_FD", "listening")
	require.NoError(t, r.Close())
	require.NoError(t, w.Close())

	for _, kind := range []int{syscall.SOCK_STREAM, syscall.SOCK_DGRAM} {
		fd, err := syscall.Socket(syscall.AF_INET, kind, 0)
		require.NoError(t, err)
		refused(t, s.Set(zmq.OptionByNumber[int](zmq.UseFD.Number()).To(fd)), syscall.EINVAL, "USE_FD", "does not listen")
		require.NoError(t, syscall.Close(fd))
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	endpoint := "tcp://" + l.Addr().String()
	file, err := l.(*net.TCPListener).File()
	require.NoError(t, err)
	require.NoError(t, s.Set(zmq.UseFD.To(int(file.Fd()))))
	refused(t, s.Bind("ipc://*"), syscall.EINVAL, "bind", "ipc://*", "UseFD", "TCP")
	require.NoError(t, file.Close())
	require.NoError(t, l.Close())
	require.NoError(t, s.Bind(endpoint))
	require.NoError(t, push.Connect(endpoint))
	zmqtest.RequireWorks(t, push, s)
	// The descriptor served one Bind; this one is a listener of its own.
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
}

// tryHalfRead disconnects between two parts of a message.
func tryHalfRead(t *testing.T) {
	for _, typ := range []zmq.SocketType{zmq.Pull, zmq.Dealer} {
		for _, endpoint := range []string{"tcp://127.0.0.1:*", zmqtest.InprocName()} {
			peer := zmq.Push
			if typ == zmq.Dealer {
				peer = zmq.Dealer
			}
			zctx := zmqtest.NewContext(t)
			b, s := zmqtest.NewSocket(t, zctx, peer), zmqtest.NewSocket(t, zctx, typ)
			zmqtest.Connect(t, b, s, endpoint)
			endpoint := zmqtest.LastEndpoint(t, b)
			require.NoError(t, b.SendMultipart(context.Background(), [][]byte{[]byte("a"), []byte("b"), []byte("c")}))
			for i, want := range []string{"a", "b", "c"} {
				require.Equal(t, want, zmqtest.RecvString(t, s))
				if i == 0 {
					require.True(t, s.RecvMore())
					require.NoError(t, s.Disconnect(endpoint))
				}
			}
			_, err := s.RecvBytes(context.Background(), zmq.DontWait)
			refused(t, err, zmq.ErrAgain, "recv")
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

// tryLook disconnects between a look and the receive that it is for.
func tryLook(t *testing.T) {
	for _, look := range looks {
		for _, r := range receivers {
			zctx := zmqtest.NewContext(t)
			b, s := zmqtest.NewSocket(t, zctx, r.peer), zmqtest.NewSocket(t, zctx, r.typ)
			zmqtest.Connect(t, b, s, zmqtest.InprocName())
			endpoint := zmqtest.LastEndpoint(t, b)
			switch r.typ {
			case zmq.Sub:
				require.NoError(t, s.Subscribe(""))
			case zmq.XSub:
				require.NoError(t, s.Send(context.Background(), []byte{1}))
			}
			if r.peer == zmq.XPub {
				zmqtest.RecvBytes(t, b)
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
			require.NoError(t, err, "%v", r.typ)
		}
	}
}

// tryForgottenWaiter disconnects when a message arrives for a waiting goroutine. The message is
// received at once or lost with the connection, and not found only when the wait times out.
func tryForgottenWaiter(t *testing.T) {
	const limit = 2 * time.Second
	zctx := zmqtest.NewContext(t)
	var late atomic.Int64
	var receivers, senders sync.WaitGroup
	var dealers, routers []*zmq.Socket
	for range 200 {
		dealer, router := zmqtest.NewSocket(t, zctx, zmq.Dealer), zmqtest.NewSocket(t, zctx, zmq.Router, zmq.RecvTimeout.To(limit))
		zmqtest.Connect(t, dealer, router, zmqtest.InprocName())
		dealers, routers = append(dealers, dealer), append(routers, router)
		receivers.Go(func() {
			begin := time.Now()
			if _, err := router.RecvMultipart(context.Background()); err == nil && time.Since(begin) >= limit {
				late.Add(1)
			}
		})
	}
	for i, router := range routers {
		endpoint := zmqtest.LastEndpoint(t, dealers[i])
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
	require.Zero(t, late.Load(), "receivers were forgotten")
}

func tryImmediate(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	pull, push := zmqtest.NewSocket(t, zctx, zmq.Pull), zmqtest.NewSocket(t, zctx, zmq.Push, zmq.Immediate.To(true))
	zmqtest.Connect(t, pull, push, "tcp://127.0.0.1:*")
	zmqtest.RequireWorks(t, push, pull)
	refused(t, push.Set(zmq.Immediate.To(false)), syscall.EINVAL, "IMMEDIATE", "after the first Bind or Connect", "earlier")
	refused(t, push.Set(zmq.OptionByNumber[int](39).To(0)), syscall.EINVAL, "IMMEDIATE", "after the first Bind or Connect", "earlier")
	endpoint := zmqtest.LastEndpoint(t, pull)
	require.NoError(t, pull.Close())
	// The socket loses its peer, and finds the next one.
	again := zmqtest.NewSocket(t, zctx, zmq.Pull)
	require.Eventually(t, func() bool { return again.Bind(endpoint) == nil }, 10*time.Second, time.Millisecond)
	require.Eventually(t, func() bool {
		_ = push.Send(context.Background(), []byte("x"), zmq.DontWait)
		_, err := again.RecvBytes(context.Background(), zmq.DontWait)
		return err == nil
	}, 30*time.Second, time.Millisecond)
}

// tryRoutingID connects with ids that are taken, or may be.
func tryRoutingID(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	id := func(s *zmq.Socket, id string) error { return s.Set(zmq.ConnectRoutingID.To([]byte(id))) }
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Stream} {
		s := zmqtest.NewSocket(t, zctx, typ)
		require.NoError(t, id(s, "A"))
		require.NoError(t, s.Connect("tcp://127.0.0.1:1"))
		refused(t, id(s, "A"), syscall.EINVAL, "CONNECT_ROUTING_ID", `"A"`, "has used the ID")
		require.NoError(t, id(s, "B"))
		require.NoError(t, s.Connect("tcp://127.0.0.1:1"))
	}
	refused(t, id(zmqtest.NewSocket(t, zctx, zmq.Router), "\x00abcd"), syscall.EINVAL, "CONNECT_ROUTING_ID", "zero byte")

	// A remote peer has chosen the id.
	router, dealer := zmqtest.NewSocket(t, zctx, zmq.Router), zmqtest.NewSocket(t, zctx, zmq.Dealer, zmq.RoutingID.To([]byte("A")))
	zmqtest.Connect(t, router, dealer, "tcp://127.0.0.1:*")
	require.NoError(t, dealer.Send(context.Background(), []byte("hello")))
	parts := zmqtest.RecvParts(t, router)
	require.Equal(t, "A", string(parts[0]))
	refused(t, id(router, "A"), syscall.EINVAL, "CONNECT_ROUTING_ID", "peer", "before the first Bind")

	// It will choose it on a connection that we make.
	router = zmqtest.NewSocket(t, zctx, zmq.Router)
	require.NoError(t, router.Connect("tcp://127.0.0.1:1"))
	refused(t, id(router, "A"), syscall.EINVAL, "CONNECT_ROUTING_ID", "peer", "before the first Bind")

	// Or before the Connect that the id is for.
	router = zmqtest.NewSocket(t, zctx, zmq.Router)
	require.NoError(t, id(router, "A"))
	refused(t, router.Bind("tcp://127.0.0.1:*"), syscall.EINVAL, "bind", "ConnectRoutingID", "connect first")
	require.NoError(t, router.Set(zmq.Immediate.To(true)))
	refused(t, router.Connect("tcp://127.0.0.1:1"), syscall.EINVAL, "connect", "ConnectRoutingID", "Immediate")
}

// tryGuessedID takes the id that the ROUTER will make up for its next peer.
func tryGuessedID(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	router := zmqtest.NewSocket(t, zctx, zmq.Router)
	peer := func(settings ...zmq.Setting) []byte {
		d := zmqtest.NewSocket(t, zctx, zmq.Dealer, settings...)
		endpoint := zmqtest.LastEndpoint(t, router)
		require.NoError(t, d.Connect(endpoint))
		require.NoError(t, d.Send(context.Background(), []byte("hello")))
		ctx := zmqtest.Timeout(t, 10*time.Second)
		parts, err := router.RecvMultipart(ctx)
		require.NoError(t, err)
		return parts[0]
	}
	require.NoError(t, router.Bind("tcp://127.0.0.1:*"))
	id := peer()
	require.Len(t, id, 5)
	for i := len(id) - 1; i > 0; i-- { // a number in network byte order
		if id[i]++; id[i] != 0 {
			break
		}
	}
	thief := zmqtest.NewSocket(t, zctx, zmq.Dealer)
	err := thief.Set(zmq.RoutingID.To(id))
	refused(t, err, syscall.EINVAL, "ROUTING_ID", "zero byte")
	if err == nil {
		peer(zmq.RoutingID.To(id))
	}
	peer()
}
