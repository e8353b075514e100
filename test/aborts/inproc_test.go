//go:build unix

package aborts

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// trySettling closes contexts with connections to unbound inproc names while all places for sockets
// are taken.
func trySettling(t *testing.T) {
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
			refused(t, err, syscall.EMFILE, "socket", "MaxSockets")
		}
		ctx := zmqtest.Timeout(t, 20*time.Second)
		require.NoError(t, zctx.CloseContext(ctx))
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
func tryUnboundNames(t *testing.T) {
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
		require.NoError(t, worst)
	}
}

// tryLateConnect closes contexts, or shuts them down first, while sockets connect to unbound inproc
// names and all places for sockets are taken.
func tryLateConnect(t *testing.T) {
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
		require.NoError(t, worst)
	}
}

// tryPendingInproc gives up connections to inproc names, which are then bound.
func tryPendingInproc(t *testing.T) {
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Rep} {
		zctx := zmqtest.NewContext(t)
		name := zmqtest.InprocName()
		s := zmqtest.NewSocket(t, zctx, typ)
		require.NoError(t, s.Connect(name))
		refused(t, s.Disconnect(name), syscall.EINVAL, "disconnect", "inproc://", "close the")
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
		require.NoError(t, zmqtest.NewSocket(t, zctx, zmq.Dealer).Bind(name))
	}
}

// tryPairThatBinds has a PAIR bind a name to which sockets are connected that libzmq
// would abort for, when it turned them away.
func tryPairThatBinds(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Rep} {
		for _, connections := range []int{1, 2, 3} {
			name := zmqtest.InprocName()
			s := zmqtest.NewSocket(t, zctx, typ)
			for range connections {
				require.NoError(t, s.Connect(name))
			}
			pair := zmqtest.NewSocket(t, zctx, zmq.Pair)
			refused(t, pair.Bind(name), syscall.EINVAL, "bind", "inproc://", "PAIR", "DEALER")
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
		require.NoError(t, pair.Bind(name))
		require.NoError(t, pair.SendString(context.Background(), "x"))
		zmqtest.RecvString(t, first)
	}
}

// tryHandover lets a peer take the id of a connection to an unbound name.
func tryHandover(t *testing.T) {
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
	refused(t, first.Connect(later), syscall.EINVAL, "connect", "inproc://", "RouterHandover", "bind the name first")
	bound := zmqtest.InprocName()
	require.NoError(t, zmqtest.NewSocket(t, zctx, zmq.Dealer).Bind(bound))
	require.NoError(t, first.Connect(bound), "the id is still there, and the name is bound")
	require.NoError(t, first.Connect(later), "without an id")
	taker(first)
	second := zmqtest.NewSocket(t, zctx, zmq.Router, zmq.ConnectRoutingID.To(same))
	require.NoError(t, second.Connect(later+"2"))
	refused(t, second.Set(zmq.RouterHandover.To(true)), syscall.EINVAL, "ROUTER_HANDOVER", "bind the name first")
	require.NoError(t, zmqtest.NewSocket(t, zctx, zmq.Dealer).Bind(later))
	require.NoError(t, zmqtest.NewSocket(t, zctx, zmq.Dealer).Bind(later+"2"))
	require.NoError(t, second.Set(zmq.RouterHandover.To(true)), "it is bound now")
	taker(second)
}

func tryConflatedName(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	name := zmqtest.InprocName()
	push := zmqtest.NewSocket(t, zctx, zmq.Push, zmq.Conflate.To(true))
	refused(t, push.Connect(name), syscall.EINVAL, "connect", "inproc://", "bind the name first")
	pull := zmqtest.NewSocket(t, zctx, zmq.Pull)
	require.NoError(t, pull.Bind(name))
	require.NoError(t, push.Connect(name))
	require.NoError(t, push.SendString(context.Background(), "newest"))
	got, err := pull.RecvString(zmqtest.Within(t))
	require.NoError(t, err)
	require.Equal(t, "newest", got)
	require.NoError(t, push.Disconnect(name))
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Rep} {
		name := zmqtest.InprocName()
		require.NoError(t, zmqtest.NewSocket(t, zctx, typ).Bind(name))
		refused(t, zmqtest.NewSocket(t, zctx, zmq.Dealer, zmq.Conflate.To(true)).Connect(name), syscall.EINVAL, "connect", "inproc://", "without Conflate")
	}
}

func tryConflatedParts(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	s, to := zmqtest.NewSocket(t, zctx, zmq.Push, zmq.Conflate.To(true)), zmqtest.NewSocket(t, zctx, zmq.Pull)
	zmqtest.Connect(t, s, to, zmqtest.InprocName())
	a, b := []byte("a"), []byte("b")
	refused(t, s.SendMultipart(context.Background(), [][]byte{a, b}), syscall.EINVAL, "Conflate", "join the parts")
	refused(t, s.Send(context.Background(), a, zmq.SendMore), syscall.EINVAL, "Conflate", "join the parts")
	m, err := zmq.NewMessageBytes(b)
	require.NoError(t, err)
	refused(t, s.SendMessage(context.Background(), m, zmq.SendMore), syscall.EINVAL, "Conflate", "join the parts")
	refused(t, s.SendMessageTo(context.Background(), a, m), syscall.EINVAL, "Conflate", "join the parts")
	batch := zmq.NewBatch(3)
	defer batch.Close()
	require.NoError(t, batch.Append(a))
	require.NoError(t, batch.Append(a, b))
	_, err = s.SendBatch(context.Background(), batch)
	refused(t, err, syscall.EINVAL, "Conflate", "join the parts")
	parts := make(zmq.Multipart, 2)
	require.NoError(t, parts[0].Alloc(1))
	require.NoError(t, parts[1].Alloc(1))
	refused(t, s.SendMultipartMessage(context.Background(), parts), syscall.EINVAL, "Conflate", "join the parts")
	require.NoError(t, parts.Close())
	require.NoError(t, s.SendMessage(context.Background(), m))
	_, err = to.RecvBytes(zmqtest.Within(t))
	require.NoError(t, err)
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

func tryWelcome(t *testing.T) {
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
		refused(t, zmqtest.NewSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true), zmq.XPubWelcomeMessage.To([]byte("hi"))).Bind(name), syscall.EINVAL, "bind", "inproc://", "XPubWelcomeMessage")
		require.NoError(t, zmqtest.NewSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true)).Bind(name), "without a welcome it may")
	}
	name := zmqtest.InprocName()
	forgotten := zmqtest.NewSocket(t, zctx, zmq.Sub)
	require.NoError(t, forgotten.Connect(name))
	require.NoError(t, forgotten.Disconnect(name))
	require.NoError(t, forgotten.Connect(name))
	require.NoError(t, forgotten.Close())
	require.NoError(t, zmqtest.NewSocket(t, zctx, zmq.XPub, zmq.XPubWelcomeMessage.To([]byte("hi"))).Bind(name))
	name = zmqtest.InprocName()
	sub := zmqtest.NewSocket(t, zctx, zmq.Sub)
	require.NoError(t, sub.Subscribe(""))
	require.NoError(t, sub.Connect(name))
	require.NoError(t, zmqtest.NewSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true), zmq.XPubWelcomeMessage.To([]byte("hi"))).Bind(name))
	got, err := sub.RecvString(zmqtest.Within(t))
	require.NoError(t, err)
	require.Equal(t, "hi", got)
}

func trySubThatBinds(t *testing.T) {
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
			refused(t, s.Bind(name), syscall.EINVAL, "bind", "inproc://", "subscriptions")
		}
	}
	name := zmqtest.InprocName()
	pub, sub := zmqtest.NewSocket(t, zctx, zmq.Pub, zmq.TrackSubscriptions.To(true)), zmqtest.NewSocket(t, zctx, zmq.Sub)
	require.NoError(t, pub.Connect(name))
	require.NoError(t, sub.Subscribe(""))
	require.NoError(t, sub.Bind(name))
	require.NoError(t, pub.WaitSubscribers(zmqtest.Within(t), 1))
}

func tryOwnName(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	name := zmqtest.InprocName()
	d, router := zmqtest.NewSocket(t, zctx, zmq.Dealer), zmqtest.NewSocket(t, zctx, zmq.Router)
	require.NoError(t, d.Bind(name))
	require.NoError(t, d.Connect(name))
	refused(t, d.Disconnect(name), syscall.EINVAL, "disconnect", "inproc://", "call Unbind first")
	require.NoError(t, d.Unbind(name))
	require.NoError(t, router.Connect(name))
	refused(t, router.Disconnect(name), syscall.EINVAL, "disconnect", "inproc://", "close the") // it is unbound now
	require.NoError(t, zmqtest.NewSocket(t, zctx, zmq.Dealer).Bind(name))
}
