//go:build unix

package zmq_test

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// Names within the process that are connected to before, or without, being bound.
var inprocDeaths = []death{
	{"18 no place to settle inproc names", dieOfSettling, append(times(1, want(syscall.EMFILE, "socket", "MaxSockets")), fine, fine, fine)},
	{"18 sockets of every type, connected to inproc names that nobody binds", dieOfUnboundNames, times(int(zmq.XSub)+1, fine)},
	{"18 inproc names connected to during the close", dieOfLateConnect, times(2, fine)},
	{"20 disconnect from an unbound inproc name", dieOfPendingInproc, append(
		times(2, want(syscall.EINVAL, "disconnect", "inproc://", "close the")), fine, fine, fine, fine)},
	{"44 a PAIR binds a name that others are connected to", dieOfPairThatBinds, append(
		times(6, want(syscall.EINVAL, "bind", "inproc://", "PAIR", "DEALER")), fine, fine)},
	{"45 the id of a connection to an unbound inproc name is handed over", dieOfHandover, []wanted{
		want(syscall.EINVAL, "connect", "inproc://", "RouterHandover", "bind the name first"),
		want(syscall.EINVAL, "ROUTER_HANDOVER", "bind the name first"), fine, fine,
	}},
	{"21 STREAM over inproc", dieOfStreamInproc, times(2, want(syscall.EPROTONOSUPPORT, "inproc://stream", "STREAM", "tcp"))},
}

// dieOfSettling ends contexts in which connections to inproc names that nobody
// bound are left, and all places are taken.
func dieOfSettling(t *testing.T, report func(error)) {
	end := func(sockets int, prepare func(*zmq.Context, *zmq.Socket)) {
		zctx, err := zmq.NewContext(zmq.MaxSockets.To(sockets))
		require.NoError(t, err)
		for range sockets {
			s, err := zctx.NewSocket(zmq.Push)
			require.NoError(t, err)
			prepare(zctx, s)
		}
		if sockets == 3 {
			_, err = zctx.NewSocket(zmq.Push)
			report(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		report(zctx.CloseContext(ctx))
	}
	end(3, func(_ *zmq.Context, s *zmq.Socket) {
		for range 3 {
			require.NoError(t, s.Connect(inprocName()))
		}
		require.NoError(t, s.Send(context.Background(), []byte("for nobody")))
	})
	// Bound at some time, but not when it is connected to.
	end(1, func(_ *zmq.Context, s *zmq.Socket) {
		name := inprocName()
		require.NoError(t, s.Bind(name))
		require.NoError(t, s.Unbind(name))
		require.NoError(t, s.Connect(name))
	})
	// Disconnected before.
	end(1, func(_ *zmq.Context, s *zmq.Socket) {
		name := inprocName()
		require.NoError(t, s.Connect(name))
		require.NoError(t, s.Disconnect(name))
	})
}

// dieOfUnboundNames closes sockets with such connections, and their context right
// after them, so that libzmq takes the sockets down while the names are settled.
func dieOfUnboundNames(t *testing.T, report func(error)) {
	for typ := zmq.Pair; typ <= zmq.XSub; typ++ {
		var worst error
		for round := range 20 {
			zctx, err := zmq.NewContext()
			require.NoError(t, err)
			for range 4 {
				s, err := zctx.NewSocket(typ)
				require.NoError(t, err)
				for range 20 {
					require.NoError(t, s.Connect(inprocName()))
				}
				_ = s.Send(context.Background(), []byte("for nobody"), zmq.DontWait)
				if round%2 == 0 {
					require.NoError(t, s.Close())
				}
			}
			worst = errors.Join(worst, zctx.Close())
		}
		report(worst)
	}
}

// dieOfLateConnect closes contexts, or shuts them down first, while connections to
// inproc names that nobody binds are being made, and all places are taken.
func dieOfLateConnect(t *testing.T, report func(error)) {
	for _, shutdown := range []bool{false, true} {
		var worst error
		for range 60 {
			zctx, err := zmq.NewContext(zmq.MaxSockets.To(4))
			require.NoError(t, err)
			var all sync.WaitGroup
			start := make(chan struct{}, 4)
			for range 4 {
				s, err := zctx.NewSocket(zmq.Push)
				require.NoError(t, err)
				all.Go(func() {
					for i := 0; i < 100 && s.Connect(inprocName()) == nil; i++ {
						if i == 10 {
							start <- struct{}{}
						}
					}
				})
			}
			<-start
			if shutdown {
				require.NoError(t, zctx.Shutdown())
			}
			worst = errors.Join(worst, zctx.Close())
			all.Wait()
		}
		report(worst)
	}
}

// dieOfPendingInproc gives up connections to inproc names, which are then bound.
func dieOfPendingInproc(t *testing.T, report func(error)) {
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Rep} {
		zctx := newContext(t)
		name := inprocName()
		s := newSocket(t, zctx, typ)
		require.NoError(t, s.Connect(name))
		report(s.Disconnect(name))
		_, _ = s.RecvBytes(context.Background(), zmq.DontWait) // makes libzmq carry out what is left to do
		dealer := newSocket(t, zctx, zmq.Dealer)
		require.NoError(t, dealer.Bind(name))
		require.NoError(t, dealer.SendMultipart(context.Background(), [][]byte{nil, []byte("request")}))
		request, err := s.RecvMultipart(context.Background())
		require.NoError(t, err)
		require.NoError(t, s.SendMultipart(context.Background(), request))
		_, err = dealer.RecvMultipart(context.Background())
		require.NoError(t, err)
		require.NoError(t, s.Disconnect(name))
	}
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Rep, zmq.Push, zmq.Dealer} {
		// Closed instead; or of a type that bears it.
		zctx := newContext(t)
		name := inprocName()
		s := newSocket(t, zctx, typ)
		require.NoError(t, s.Connect(name))
		if typ == zmq.Push || typ == zmq.Dealer {
			require.NoError(t, s.Disconnect(name))
			_ = s.Send(context.Background(), []byte("x"), zmq.DontWait)
		} else {
			require.NoError(t, s.Close())
		}
		report(newSocket(t, zctx, zmq.Dealer).Bind(name))
	}
}

// dieOfPairThatBinds has a PAIR bind a name to which sockets are connected that libzmq
// would abort for, when it turned them away.
func dieOfPairThatBinds(t *testing.T, report func(error)) {
	zctx := newContext(t)
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Rep} {
		for _, connections := range []int{1, 2, 3} {
			name := inprocName()
			s := newSocket(t, zctx, typ)
			for range connections {
				require.NoError(t, s.Connect(name))
			}
			pair := newSocket(t, zctx, zmq.Pair)
			report(pair.Bind(name))
			require.NoError(t, pair.Bind(inprocName()), "another name")
			dealer := newSocket(t, zctx, zmq.Dealer)
			require.NoError(t, dealer.Bind(name), "another type")
			require.NoError(t, dealer.SendMultipart(context.Background(), [][]byte{nil, []byte("request")}))
			_, err := s.RecvMultipart(context.Background())
			require.NoError(t, err)
		}
	}
	for range 2 { // the second PAIR is turned away, which it bears
		name := inprocName()
		first, second := newSocket(t, zctx, zmq.Pair), newSocket(t, zctx, zmq.Pair)
		require.NoError(t, first.Connect(name))
		require.NoError(t, second.Connect(name))
		pair := newSocket(t, zctx, zmq.Pair)
		report(pair.Bind(name))
		require.NoError(t, pair.SendString(context.Background(), "x"))
		_, err := first.RecvString(context.Background())
		require.NoError(t, err)
	}
}

// dieOfHandover has a peer take the id of a connection to a name that nobody has bound.
func dieOfHandover(t *testing.T, report func(error)) {
	zctx := newContext(t)
	same := []byte("same")
	taker := func(router *zmq.Socket) { // takes the id
		at := inprocName()
		dealer := newSocket(t, zctx, zmq.Dealer, zmq.RoutingID.To(same))
		require.NoError(t, dealer.Bind(at))
		require.NoError(t, router.Connect(at))
		require.NoError(t, dealer.SendString(context.Background(), "x"))
		_, err := router.RecvMultipart(within(t))
		require.NoError(t, err)
		_, err = router.RecvMultipart(context.Background(), zmq.DontWait)
		require.ErrorIs(t, err, zmq.ErrAgain)
	}

	first := newSocket(t, zctx, zmq.Router, zmq.RouterHandover.To(true), zmq.ConnectRoutingID.To(same))
	later := inprocName()
	report(first.Connect(later))
	bound := inprocName()
	require.NoError(t, newSocket(t, zctx, zmq.Dealer).Bind(bound))
	require.NoError(t, first.Connect(bound), "the id is still there, and the name is bound")
	require.NoError(t, first.Connect(later), "without an id")
	taker(first)
	second := newSocket(t, zctx, zmq.Router, zmq.ConnectRoutingID.To(same))
	require.NoError(t, second.Connect(later+"2"))
	report(second.Set(zmq.RouterHandover.To(true)))
	report(newSocket(t, zctx, zmq.Dealer).Bind(later))
	report(newSocket(t, zctx, zmq.Dealer).Bind(later + "2"))
	require.NoError(t, second.Set(zmq.RouterHandover.To(true)), "it is bound now")
	taker(second)
}

func dieOfStreamInproc(t *testing.T, report func(error)) {
	zctx := newContext(t)
	s := newSocket(t, zctx, zmq.Stream)
	report(s.Bind("inproc://stream"))
	report(s.Connect("inproc://stream"))
}
