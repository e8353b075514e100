//go:build unix

package aborts

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// trySettling closes contexts with connections to unbound inproc names while all places for sockets
// are taken.
func trySettling(t *testing.T, report func(error)) {
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
		ctx := zmqtest.Timeout(t, 20*time.Second)
		report(zctx.CloseContext(ctx))
	}
	end(3, func(_ *zmq.Context, s *zmq.Socket) {
		for range 3 {
			require.NoError(t, s.Connect(zmqtest.InprocName()))
		}
		require.NoError(t, s.Send(context.Background(), []byte("for nobody")))
	})
	// Bound once, but not when the socket connects.
	end(1, func(_ *zmq.Context, s *zmq.Socket) {
		name := zmqtest.InprocName()
		require.NoError(t, s.Bind(name))
		require.NoError(t, s.Unbind(name))
		require.NoError(t, s.Connect(name))
	})
	// Disconnected before.
	end(1, func(_ *zmq.Context, s *zmq.Socket) {
		name := zmqtest.InprocName()
		require.NoError(t, s.Connect(name))
		require.NoError(t, s.Disconnect(name))
	})
}

// tryUnboundNames closes sockets with such connections, and their context right
// after them, so that libzmq takes the sockets down while the names are settled.
func tryUnboundNames(t *testing.T, report func(error)) {
	for typ := zmq.Pair; typ <= zmq.XSub; typ++ {
		var worst error
		for round := range 20 {
			zctx, err := zmq.NewContext()
			require.NoError(t, err)
			for range 4 {
				s, err := zctx.NewSocket(typ)
				require.NoError(t, err)
				for range 20 {
					require.NoError(t, s.Connect(zmqtest.InprocName()))
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

// tryLateConnect closes contexts, or shuts them down first, while sockets connect to unbound inproc
// names and all places for sockets are taken.
func tryLateConnect(t *testing.T, report func(error)) {
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
					for i := 0; i < 100 && s.Connect(zmqtest.InprocName()) == nil; i++ {
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

// tryPendingInproc gives up connections to inproc names, which are then bound.
func tryPendingInproc(t *testing.T, report func(error)) {
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Rep} {
		zctx := zmqtest.NewContext(t)
		name := zmqtest.InprocName()
		s := zmqtest.NewSocket(t, zctx, typ)
		require.NoError(t, s.Connect(name))
		report(s.Disconnect(name))
		_, _ = s.RecvBytes(context.Background(), zmq.DontWait) // makes libzmq carry out what is left to do
		dealer := zmqtest.NewSocket(t, zctx, zmq.Dealer)
		require.NoError(t, dealer.Bind(name))
		require.NoError(t, dealer.SendMultipart(context.Background(), [][]byte{nil, []byte("request")}))
		request := zmqtest.RecvParts(t, s)
		require.NoError(t, s.SendMultipart(context.Background(), request))
		zmqtest.RecvParts(t, dealer)
		require.NoError(t, s.Disconnect(name))
	}
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Rep, zmq.Push, zmq.Dealer} {
		// The socket is closed instead, or its type may disconnect.
		zctx := zmqtest.NewContext(t)
		name := zmqtest.InprocName()
		s := zmqtest.NewSocket(t, zctx, typ)
		require.NoError(t, s.Connect(name))
		if typ == zmq.Push || typ == zmq.Dealer {
			require.NoError(t, s.Disconnect(name))
			_ = s.Send(context.Background(), []byte("x"), zmq.DontWait)
		} else {
			require.NoError(t, s.Close())
		}
		report(zmqtest.NewSocket(t, zctx, zmq.Dealer).Bind(name))
	}
}

// tryPairThatBinds has a PAIR bind a name to which sockets are connected that libzmq
// would abort for, when it turned them away.
func tryPairThatBinds(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Rep} {
		for _, connections := range []int{1, 2, 3} {
			name := zmqtest.InprocName()
			s := zmqtest.NewSocket(t, zctx, typ)
			for range connections {
				require.NoError(t, s.Connect(name))
			}
			pair := zmqtest.NewSocket(t, zctx, zmq.Pair)
			report(pair.Bind(name))
			require.NoError(t, pair.Bind(zmqtest.InprocName()), "another name")
			dealer := zmqtest.NewSocket(t, zctx, zmq.Dealer)
			require.NoError(t, dealer.Bind(name), "another type")
			require.NoError(t, dealer.SendMultipart(context.Background(), [][]byte{nil, []byte("request")}))
			zmqtest.RecvParts(t, s)
		}
	}
	for range 2 { // the second PAIR is turned away without harm
		name := zmqtest.InprocName()
		first, second := zmqtest.NewSocket(t, zctx, zmq.Pair), zmqtest.NewSocket(t, zctx, zmq.Pair)
		require.NoError(t, first.Connect(name))
		require.NoError(t, second.Connect(name))
		pair := zmqtest.NewSocket(t, zctx, zmq.Pair)
		report(pair.Bind(name))
		require.NoError(t, pair.SendString(context.Background(), "x"))
		zmqtest.RecvString(t, first)
	}
}

// tryHandover lets a peer take the id of a connection to an unbound name.
func tryHandover(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	same := []byte("same")
	taker := func(router *zmq.Socket) { // takes the id
		at := zmqtest.InprocName()
		dealer := zmqtest.NewSocket(t, zctx, zmq.Dealer, zmq.RoutingID.To(same))
		require.NoError(t, dealer.Bind(at))
		require.NoError(t, router.Connect(at))
		require.NoError(t, dealer.SendString(context.Background(), "x"))
		_, err := router.RecvMultipart(zmqtest.Within(t))
		require.NoError(t, err)
		_, err = router.RecvMultipart(context.Background(), zmq.DontWait)
		require.ErrorIs(t, err, zmq.ErrAgain)
	}

	first := zmqtest.NewSocket(t, zctx, zmq.Router, zmq.RouterHandover.To(true), zmq.ConnectRoutingID.To(same))
	later := zmqtest.InprocName()
	report(first.Connect(later))
	bound := zmqtest.InprocName()
	require.NoError(t, zmqtest.NewSocket(t, zctx, zmq.Dealer).Bind(bound))
	require.NoError(t, first.Connect(bound), "the id is still there, and the name is bound")
	require.NoError(t, first.Connect(later), "without an id")
	taker(first)
	second := zmqtest.NewSocket(t, zctx, zmq.Router, zmq.ConnectRoutingID.To(same))
	require.NoError(t, second.Connect(later+"2"))
	report(second.Set(zmq.RouterHandover.To(true)))
	report(zmqtest.NewSocket(t, zctx, zmq.Dealer).Bind(later))
	report(zmqtest.NewSocket(t, zctx, zmq.Dealer).Bind(later + "2"))
	require.NoError(t, second.Set(zmq.RouterHandover.To(true)), "it is bound now")
	taker(second)
}

func tryStreamInproc(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	s := zmqtest.NewSocket(t, zctx, zmq.Stream)
	report(s.Bind("inproc://stream"))
	report(s.Connect("inproc://stream"))
}
