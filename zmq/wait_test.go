package zmq_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// Both sides know of each other, however long ago they were connected; and what is
// then sent arrives, even where libzmq drops what has no peer.
func TestWaitConnected(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		overInproc := strings.HasPrefix(endpoint, "inproc:")
		zctx := newContext(t)
		router := newSocket(t, zctx, zmq.Router, zmq.RouterMandatory.To(true))
		require.NoError(t, router.WaitConnected(soon(t), 0))
		require.NoError(t, router.Bind(endpoint))
		for i := range 50 {
			id := []byte{'p', byte(i)}
			peer := newSocket(t, zctx, zmq.Dealer, zmq.RoutingID.To(id))
			require.NoError(t, peer.Connect(last(t, router)))
			require.NoError(t, router.WaitConnected(soon(t), 1))
			welcome := func() error {
				return router.SendMultipart(context.Background(), [][]byte{id, []byte("welcome")}, zmq.DontWait)
			}
			err := welcome()
			for deadline := time.Now().Add(patience); overInproc && i > 0 && errors.Is(err, zmq.ErrHostUnreachable) && time.Now().Before(deadline); {
				runtime.Gosched() // the peer before is leaving: see WaitConnected
				err = welcome()
			}
			require.NoError(t, err)
			require.NoError(t, peer.WaitConnected(soon(t), 1))
			require.Equal(t, "welcome", recvString(t, peer))
			// Long connected: nothing has to happen for it to be known.
			require.NoError(t, router.WaitConnected(soon(t), 1))
			require.NoError(t, peer.WaitConnected(soon(t), 1))
			never(t, router, 2)
			require.NoError(t, peer.Close())
			gone(t, router)
		}
	})
}

// never expects that the socket does not have as many connections.
func never(t *testing.T, s *zmq.Socket, peers int) {
	t.Helper()
	ctx := timeout(t, 2*time.Millisecond)
	err := s.WaitConnected(ctx, peers)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorIs(t, err, syscall.ETIMEDOUT)
	require.Less(t, s.Stats().Connections, peers)
}

// gone waits until the socket has no connection left. The others given are to work on
// that: libzmq ends a connection in their calls.
func gone(t *testing.T, s *zmq.Socket, others ...*zmq.Socket) {
	t.Helper()
	for deadline := time.Now().Add(patience); s.Stats().Connections > 0; runtime.Gosched() {
		require.True(t, time.Now().Before(deadline), "the connection does not end")
		for _, other := range others {
			require.NoError(t, other.WaitConnected(context.Background(), 0))
		}
	}
}

// libzmq does not report connections that this side ends. They are counted correctly.
func TestWaitConnectedAfterDetaching(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		pull, push := pair(t, zmq.Pull, zmq.Push, endpoint)
		for range 20 {
			require.NoError(t, push.WaitConnected(soon(t), 1))
			require.NoError(t, pull.WaitConnected(soon(t), 1))
			require.NoError(t, push.Disconnect(last(t, pull)))
			never(t, push, 1)
			gone(t, pull, push)
			require.NoError(t, push.Connect(last(t, pull)))
		}
		require.NoError(t, pull.WaitConnected(soon(t), 1))
		if endpoint[:6] == "inproc" {
			require.NoError(t, pull.Unbind(last(t, pull)))
			require.NoError(t, pull.WaitConnected(soon(t), 1), "who is connected stays so")
			return
		}
		require.NoError(t, pull.Unbind(last(t, pull)))
		never(t, pull, 1)
		gone(t, push, pull)
	})
}

// A wildcard's connections arrive at the addresses of the machine.
func TestWaitConnectedUnbindsWildcard(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
	require.NoError(t, pull.Bind("tcp://0.0.0.0:*"))
	bound := last(t, pull)
	require.NoError(t, push.Connect("tcp://127.0.0.1"+bound[len("tcp://0.0.0.0"):]))
	require.NoError(t, pull.WaitConnected(soon(t), 1))
	require.NoError(t, pull.Unbind(bound))
	never(t, pull, 1)
}

// The connection returns after the peer was away, and is not counted in between.
func TestWaitConnectedReconnects(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pull := newSocket(t, zctx, zmq.Pull)
	push := newSocket(t, zctx, zmq.Push, zmq.ReconnectInterval.To(time.Millisecond))
	connect(t, pull, push, "tcp://127.0.0.1:*")
	endpoint := last(t, pull)
	for range 10 {
		require.NoError(t, push.WaitConnected(soon(t), 1))
		require.NoError(t, pull.Close())
		gone(t, push)
		pull = newSocket(t, zctx, zmq.Pull)
		for pull.Bind(endpoint) != nil { // libzmq closes the old listener on its own thread
			runtime.Gosched()
		}
	}
	require.NoError(t, push.WaitConnected(soon(t), 1))
}

// Inproc: either side first, several names, several peers, a PAIR that takes one.
func TestWaitConnectedInproc(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	name, other := inprocName(), inprocName()
	router := newSocket(t, zctx, zmq.Router)
	early, late := newSocket(t, zctx, zmq.Dealer), newSocket(t, zctx, zmq.Dealer)
	gaveUp, closed := newSocket(t, zctx, zmq.Dealer), newSocket(t, zctx, zmq.Dealer)
	for _, s := range []*zmq.Socket{early, gaveUp, closed} {
		require.NoError(t, s.Connect(name))
		never(t, s, 1)
	}
	require.NoError(t, gaveUp.Disconnect(name))
	require.NoError(t, closed.Close())
	require.NoError(t, router.Bind(name))
	require.NoError(t, early.WaitConnected(soon(t), 1))
	require.NoError(t, router.WaitConnected(soon(t), 1))
	never(t, router, 2)
	never(t, gaveUp, 1)
	require.NoError(t, late.Connect(name))
	require.NoError(t, router.WaitConnected(soon(t), 2))
	require.NoError(t, router.Bind(other))
	require.NoError(t, late.Connect(other))
	require.NoError(t, late.WaitConnected(soon(t), 2))
	require.NoError(t, router.WaitConnected(soon(t), 3))
	require.NoError(t, late.Disconnect(name))
	never(t, router, 3)
	require.NoError(t, router.Close())
	never(t, early, 1)

	a, b, d := newSocket(t, zctx, zmq.Pair), newSocket(t, zctx, zmq.Pair), newSocket(t, zctx, zmq.Pair)
	connect(t, a, b, inprocName())
	require.NoError(t, d.Connect(last(t, a)))
	require.NoError(t, a.WaitConnected(soon(t), 1))
	never(t, a, 2)
	never(t, d, 1)
}

// Peers that libzmq refuses for their type or that never say a word do not count, nor
// do they disturb the count of others.
func TestWaitConnectedWithStrangers(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pull := newSocket(t, zctx, zmq.Pull)
	refused := monitor(t, pull, zmq.EventDisconnected)
	require.NoError(t, pull.Bind("tcp://127.0.0.1:*"))
	for i := range 20 {
		push := newSocket(t, zctx, zmq.Push)
		require.NoError(t, push.Connect(last(t, pull)))
		stranger := newSocket(t, zctx, zmq.Sub, zmq.ReconnectInterval.To(-1))
		require.NoError(t, stranger.Connect(last(t, pull)))
		until(t, refused, zmq.EventDisconnected)
		require.NoError(t, pull.WaitConnected(soon(t), i+1))
		never(t, pull, i+2)
		never(t, stranger, 1)
	}
}

// A wait ends with its context, with the socket and with the socket's context.
func TestWaitConnectedEnds(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		requireWaitEnds(t, zmq.Rep, endpoint, (*zmq.Socket).WaitConnected)
	})
}

func TestWaitSubscribersEnds(t *testing.T) {
	t.Parallel()
	for _, typ := range []zmq.SocketType{zmq.Pub, zmq.XPub} {
		requireWaitEnds(t, typ, "tcp://127.0.0.1:*", (*zmq.Socket).WaitSubscribers)
	}
}

func requireWaitEnds(t *testing.T, typ zmq.SocketType, endpoint string, wait func(*zmq.Socket, context.Context, int) error) {
	requireEnd := func(want error, end func(zctx *zmq.Context, s *zmq.Socket, cancel func()) error) {
		zctx := trackingContext(t)
		s := newSocket(t, zctx, typ)
		require.NoError(t, s.Bind(endpoint))
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var waits [10]<-chan error
		for i := range waits {
			waits[i] = async(func() error { return wait(s, ctx, 1) })
		}
		require.NoError(t, end(zctx, s, cancel))
		for _, ended := range waits {
			require.ErrorIs(t, <-ended, want)
		}
		require.NoError(t, s.Close())
	}
	requireEnd(context.Canceled, func(_ *zmq.Context, _ *zmq.Socket, cancel func()) error { cancel(); return nil })
	for _, e := range ends {
		requireEnd(e.want, func(zctx *zmq.Context, s *zmq.Socket, _ func()) error { return e.end(zctx, s) })
	}
}

func TestTrackConnectionsOff(t *testing.T) {
	t.Parallel()
	zctx := newContext(t, zmq.TrackConnections.To(false))
	require.False(t, noErr(zmq.TrackConnections.Get(zctx))(t))
	pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
	connect(t, pull, push, "tcp://127.0.0.1:*")
	require.ErrorIs(t, pull.WaitConnected(soon(t), 1), zmq.ErrNotSupported)
	inproc := newSocket(t, zctx, zmq.Pull)
	connect(t, inproc, push, inprocName())
	require.NoError(t, inproc.WaitConnected(soon(t), 1))

	// A monitor that is there from the beginning sees everything.
	watched := newSocket(t, zctx, zmq.Pull)
	m := monitor(t, watched, zmq.EventAll)
	connect(t, watched, push, "tcp://127.0.0.1:*")
	require.NoError(t, watched.WaitConnected(soon(t), 1))
	until(t, m, zmq.EventHandshakeSucceeded)
}

// Connections come and go while many goroutines wait, over all transports at once.
func TestWaitConnectedUnderChurn(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	hub := newSocket(t, zctx, zmq.Router)
	var endpoints []string
	for _, endpoint := range []string{"tcp://127.0.0.1:*", "ipc://*", inprocName()} {
		if endpoint == "ipc://*" && !zmq.Has("ipc") {
			continue
		}
		require.NoError(t, hub.Bind(endpoint))
		endpoints = append(endpoints, last(t, hub))
	}
	ctx := soon(t)
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			for range 30 {
				s, err := zctx.NewSocket(zmq.Dealer, zmq.Linger.To(0))
				if err == nil {
					err = s.Connect(endpoints[i%len(endpoints)])
				}
				if err == nil {
					err = s.WaitConnected(ctx, 1)
				}
				if err == nil {
					err = hub.WaitConnected(ctx, 1)
				}
				if err != nil {
					t.Error(err)
				}
				_ = s.Close()
			}
		})
	}
	group.Wait()
	gone(t, hub)
}

// SpinTime says whether a receive that finds nothing tries for a while before it parks.
func TestSpinTime(t *testing.T) {
	t.Parallel()
	push, pull := pair(t, zmq.Push, zmq.Pull, tcp)
	require.Equal(t, time.Duration(-1), zmqtest.Get(t, zmq.SpinTime, pull))

	// One that spins does not park: the message arrives in the meantime.
	require.NoError(t, pull.Set(zmq.SpinTime.To(time.Second)))
	require.Equal(t, time.Second, zmqtest.Get(t, zmq.SpinTime, pull))
	waits := pull.Stats().RecvWaits
	sent := async(func() error { return push.Send(context.Background(), []byte("x")) })
	recvBytes(t, pull)
	require.Equal(t, waits, pull.Stats().RecvWaits)
	require.NoError(t, <-sent)

	// The end of its context ends the spinning, and so does its time limit.
	ctx, cancel := context.WithCancel(context.Background())
	go cancel()
	require.ErrorIs(t, errOf(pull.RecvBytes(ctx)), context.Canceled)
	require.NoError(t, pull.Set(zmq.RecvTimeout.To(time.Millisecond)))
	require.ErrorIs(t, errOf(pull.RecvBytes(context.Background())), zmq.ErrAgain)
	require.NoError(t, pull.Set(zmq.RecvTimeout.To(-1)))

	// With 0 it parks at once.
	require.NoError(t, pull.Set(zmq.SpinTime.To(0)))
	waits = pull.Stats().RecvWaits
	received := async(func() error { return errOf(pull.RecvBytes(context.Background())) })
	awaitParked(t, pull, 1)
	require.Equal(t, waits+1, pull.Stats().RecvWaits)
	require.NoError(t, push.Send(soon(t), []byte("x")))
	require.NoError(t, <-received)

	require.NoError(t, pull.Set(zmq.SpinTime.To(-time.Hour)))
	require.Equal(t, time.Duration(-1), zmqtest.Get(t, zmq.SpinTime, pull))
	require.ErrorContains(t, pull.Set(zmq.SpinTime.To(2*time.Second)), "out of range")

	// Closing the socket ends a receive that spins.
	require.NoError(t, pull.Set(zmq.SpinTime.To(time.Second)))
	received = async(func() error { return errOf(pull.RecvBytes(context.Background())) })
	require.NoError(t, pull.Close())
	require.ErrorIs(t, <-received, zmq.ErrClosed)
}
