package zmq_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// placedSocket waits for a place in the context: libzmq frees it on another thread, some
// time after a Close.
func placedSocket(t *testing.T, zctx *zmq.Context, typ zmq.SocketType, settings ...zmq.Setting) *zmq.Socket {
	t.Helper()
	s, err := zctx.NewSocket(typ, append([]zmq.Setting{zmq.Linger.To(0)}, settings...)...)
	for deadline := time.Now().Add(patience); err != nil && time.Now().Before(deadline); runtime.Gosched() {
		require.ErrorIs(t, err, syscall.EMFILE)
		s, err = zctx.NewSocket(typ, append([]zmq.Setting{zmq.Linger.To(0)}, settings...)...)
	}
	require.NoError(t, err)
	return s
}

// libzmq keeps a connection to a name that is not bound, and the place of its socket.
func TestClosedConnectsToUnboundNamesLeavePlaces(t *testing.T) {
	t.Parallel()
	for _, typ := range []zmq.SocketType{zmq.Pair, zmq.Pub, zmq.Sub, zmq.Req, zmq.Rep, zmq.Dealer, zmq.Router, zmq.Pull, zmq.Push, zmq.XPub, zmq.XSub} {
		t.Run(typ.String(), func(t *testing.T) {
			t.Parallel()
			zctx := newContext(t, zmq.MaxSockets.To(2))
			shared := inprocName()
			for range 30 {
				s := placedSocket(t, zctx, typ)
				require.NoError(t, s.Connect(inprocName()))
				require.NoError(t, s.Connect(shared))
				require.NoError(t, s.Connect(shared))
				_ = s.Subscribe("topic")
				_ = s.Send(context.Background(), []byte("unsent"), zmq.DontWait)
				require.NoError(t, s.Close())
			}
			binder := placedSocket(t, zctx, zmq.Router)
			require.NoError(t, binder.Bind(shared))
			require.ErrorIs(t, errOf(binder.RecvMultipart(context.Background(), zmq.DontWait)), zmq.ErrAgain, "Linger was 0")
		})
	}
}

// When a socket has lingered for a name that stays unbound, its place is free.
func TestLingerForUnboundNameEnds(t *testing.T) {
	t.Parallel()
	zctx := newContext(t, zmq.MaxSockets.To(2))
	for range 20 {
		s := placedSocket(t, zctx, zmq.Push, zmq.Linger.To(20*time.Millisecond))
		require.NoError(t, s.Connect(inprocName()))
		require.NoError(t, s.SendMultipart(context.Background(), [][]byte{[]byte("given up"), []byte("whole")}))
		require.NoError(t, s.Close())
	}
}

// A name that one closed socket leaves goes on to serve the others that wait for it.
func TestCloseLeavesOthersWaitingForName(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	name := inprocName()
	stays, leaves := newSocket(t, zctx, zmq.Push), newSocket(t, zctx, zmq.Push)
	for _, s := range []*zmq.Socket{stays, leaves} {
		require.NoError(t, s.Connect(name))
	}
	require.NoError(t, leaves.Close())
	require.NoError(t, stays.SendString(context.Background(), "served"))
	pull := newSocket(t, zctx, zmq.Pull)
	require.NoError(t, pull.Bind(name))
	require.Equal(t, "served", recvString(t, pull))
}

// A socket that waited for a name which was then bound has not left the name.
func TestServedSocketDoesNotLeaveName(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	name := inprocName()
	binder, later := newSocket(t, zctx, zmq.Dealer), newSocket(t, zctx, zmq.Dealer)
	served := newSocket(t, zctx, zmq.Router, zmq.ConnectRoutingID.To([]byte("id")))
	bindOnce := func() {
		require.NoError(t, binder.Bind(name))
		require.NoError(t, binder.Unbind(name))
	}
	require.NoError(t, served.Connect(name))
	bindOnce()
	require.NoError(t, served.Connect(name)) // without an id
	require.NoError(t, served.Set(zmq.RouterHandover.To(true)))
	bindOnce()
	require.NoError(t, later.Connect(name))
	require.NoError(t, served.Close())
	greeter := newSocket(t, zctx, zmq.XPub, zmq.XPubWelcomeMessage.To([]byte("welcome")))
	require.NoError(t, greeter.Bind(name))
	require.Equal(t, "welcome", recvString(t, later))
}

// Sockets connect to a name and disconnect from it while others bind and unbind it.
func TestDisconnectWhileNameIsBound(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	name := inprocName()
	var all sync.WaitGroup
	repeat := func(typ zmq.SocketType, linger time.Duration, round func(s *zmq.Socket) error) {
		s := newSocket(t, zctx, typ, zmq.Linger.To(linger))
		all.Go(func() {
			for range 200 {
				if err := round(s); err != nil {
					t.Error(typ, err)
				}
			}
		})
	}
	for _, typ := range []zmq.SocketType{zmq.Push, zmq.Dealer, zmq.Sub, zmq.Pair} {
		for _, linger := range []time.Duration{0, time.Millisecond} {
			repeat(typ, linger, func(s *zmq.Socket) error {
				if err := s.Connect(name); err != nil {
					return err
				}
				_ = s.Send(context.Background(), []byte("x"), zmq.DontWait)
				err := s.Disconnect(name)
				if typ == zmq.Pair && errors.Is(err, syscall.ENOENT) { // it had its one peer already
					return nil
				}
				return err
			})
		}
	}
	for _, typ := range []zmq.SocketType{zmq.Pull, zmq.Dealer, zmq.Router} {
		repeat(typ, 0, func(s *zmq.Socket) error {
			if s.Bind(name) != nil { // another has it
				return nil
			}
			_, _ = s.RecvMultipart(context.Background(), zmq.DontWait)
			return s.Unbind(name)
		})
	}
	all.Wait()
}
