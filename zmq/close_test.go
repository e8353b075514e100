package zmq_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/zmq"
)

// deadEndpoint returns an address where connections are refused, and stay refused:
// its port is held, without listening, until the test ends.
func deadEndpoint(t *testing.T) string {
	fd := noErr(syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0))(t)
	t.Cleanup(func() { require.NoError(t, syscall.Close(fd)) })
	require.NoError(t, syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	address := noErr(syscall.Getsockname(fd))(t)
	return fmt.Sprintf("tcp://127.0.0.1:%d", address.(*syscall.SockaddrInet4).Port)
}

// A peer that is gone does not keep Close from returning, and a deadline names
// the sockets that still hold messages.
func TestCloseWithUnsentMessages(t *testing.T) {
	t.Parallel()
	within := func(d time.Duration) func(*testing.T) context.Context {
		return func(t *testing.T) context.Context { return timeout(t, d) }
	}
	late := func(*testing.T) context.Context { return lateTimer{context.Background()} }
	for name, test := range map[string]struct {
		settings []zmq.Setting
		shutdown bool
		ctx      func(*testing.T) context.Context // nil: Close, which returns in time
	}{
		"default linger":                         {},
		"no linger":                              {settings: []zmq.Setting{zmq.Linger.To(0)}},
		"deadline later than the default linger": {ctx: within(1500 * time.Millisecond)},
		"default linger after a shutdown":        {ctx: within(30 * time.Second), shutdown: true},
		"deadline":                               {ctx: within(100 * time.Millisecond), settings: []zmq.Setting{zmq.Linger.To(-1)}},
		"deadline whose timer is late":           {ctx: late, settings: []zmq.Setting{zmq.Linger.To(-1)}},
	} {
		t.Run(name, func(t *testing.T) {
			zctx, dead := newContext(t), deadEndpoint(t)
			s := noErr(zctx.NewSocket(zmq.Push, test.settings...))(t)
			require.NoError(t, s.Connect(dead))
			for range 1000 {
				require.NoError(t, s.SendString(context.Background(), "never"))
			}
			if test.shutdown {
				require.NoError(t, zctx.Shutdown())
			}
			start := time.Now()
			if test.ctx != nil {
				requireFails(t, zctx.CloseContext(test.ctx(t)), context.DeadlineExceeded, "PUSH "+dead)
			}
			require.NoError(t, zctx.Close(), "open sockets give up after the deadline")
			require.Less(t, time.Since(start), 10*time.Second)
		})
	}
	t.Run("closed before", func(t *testing.T) {
		zctx, dead := newContext(t), deadEndpoint(t)
		s := noErr(zctx.NewSocket(zmq.Push, zmq.Linger.To(5*time.Second)))(t) // generous, because a machine may stall
		require.NoError(t, s.Connect(dead))
		require.NoError(t, s.SendString(context.Background(), "never"))
		quiet := noErr(zctx.NewSocket(zmq.Pull))(t)
		require.NoError(t, quiet.Bind(tcp))
		require.NoError(t, s.Close())
		err := zctx.CloseContext(timeout(t, 50*time.Millisecond))
		require.ErrorContains(t, err, "PUSH "+dead)
		require.NotContains(t, err.Error(), "PULL")
		require.NoError(t, zctx.Close())
	})
}

// A lateTimer is a context whose deadline is over, and which has not heard of it yet.
type lateTimer struct{ context.Context }

func (lateTimer) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }

// Messages that were sent before Close arrive if the peer receives them: with a Linger, and
// without one, where the sockets give up when CloseContext does.
func TestCloseFlushes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		messages, size int
		settings       []zmq.Setting
	}{
		"Linger":  {20_000, 4, []zmq.Setting{zmq.Linger.To(time.Minute), zmq.SendHWM.To(0)}},
		"default": {50, 1 << 20, []zmq.Setting{zmq.SendHWM.To(0)}}, // more than the system's buffers hold
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pull, sender := newSocket(t, newContext(t), zmq.Pull, zmq.RecvHWM.To(2)), newContext(t)
			push := noErr(sender.NewSocket(zmq.Push, test.settings...))(t)
			connect(t, pull, push, tcp)
			for range test.messages {
				require.NoError(t, push.Send(context.Background(), make([]byte, test.size)))
			}
			ctx := within(t)
			closed := async(func() error { return sender.CloseContext(ctx) })
			if name == "default" {
				select {
				case err := <-closed:
					require.Fail(t, "it did not wait", "%v", err)
				case <-time.After(1500 * time.Millisecond): // time to give up after the default linger
				}
			}
			for range test.messages {
				recvBytes(t, pull)
			}
			require.NoError(t, <-closed)
		})
	}
}

func TestCloseIsIdempotentAndUnblocks(t *testing.T) {
	t.Parallel()
	s := newSocket(t, newContext(t), zmq.Pull)
	var waiting, closing [20]<-chan error
	for i := range waiting {
		waiting[i] = async(func() error { return errOf(s.RecvBytes(context.Background())) })
	}
	awaitParked(t, s, len(waiting))
	for i := range closing {
		closing[i] = async(s.Close)
	}
	for i := range waiting {
		require.NoError(t, <-closing[i])
		require.ErrorIs(t, <-waiting[i], zmq.ErrClosed)
	}
	require.ErrorIs(t, errOf(s.RecvBytes(context.Background())), net.ErrClosed)
}

// An inproc name is free when Close returns. A connection to a name that is never bound does not
// delay closing the context.
func TestInprocNames(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	for range 200 {
		s := newSocket(t, zctx, zmq.Pair)
		require.NoError(t, s.Bind("inproc://again"))
		require.NoError(t, s.Close())
	}
	for i := range 20 {
		s := newSocket(t, zctx, zmq.Dealer)
		require.NoError(t, s.Connect(fmt.Sprintf("inproc://never-%d", i)))
		require.NoError(t, s.SendString(context.Background(), "x"))
	}
}

// Many goroutines, one socket, every operation, under -race: each does what it should or
// says why not, and messages come through both ways.
func TestOneSocketManyGoroutines(t *testing.T) {
	t.Parallel()
	limit := within(t)
	var there, back atomic.Int64 // messages
	message := [][]byte{{1}, {2}, {3}}
	for round := 0; round < 20 || there.Load() == 0 || back.Load() == 0; round++ {
		require.NoError(t, limit.Err(), "messages: %d there, %d back", there.Load(), back.Load())
		s, peer := pair(t, zmq.Dealer, zmq.Dealer, tcp)
		ctx := timeout(t, 100*time.Millisecond)
		check := func(err error) bool {
			gone := errors.Is(err, zmq.ErrHostUnreachable) && ctx.Err() != nil // the other one is closed already
			if err != nil && !gone && !errors.Is(err, zmq.ErrAgain) && !errors.Is(err, zmq.ErrClosed) && !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			return err == nil
		}
		receive := func(from *zmq.Socket, count *atomic.Int64) {
			parts, err := from.RecvMultipart(ctx)
			if check(err) {
				count.Add(1)
				if from == s && len(parts) != len(message) {
					t.Error("torn message")
				}
			}
		}
		calls := []func(){
			func() { check(s.SendMultipart(ctx, message)) },
			func() { receive(s, &back) },
			func() { check(s.Set(zmq.Linger.To(0))); check(errOf(zmq.Linger.Get(s))) },
			func() { check(peer.SendMultipart(ctx, message)); receive(peer, &there) },
			func() {
				check(errOf(s.LastEndpoint()))
				buf := make([]byte, 16)
				for more := true; more; more = peer.RecvMore() {
					if check(errOf(peer.Recv(context.Background(), buf, zmq.DontWait))) {
						there.Add(1)
					}
				}
			},
		}
		var group sync.WaitGroup
		for i := range 64 {
			group.Go(func() {
				for ctx.Err() == nil {
					calls[i%len(calls)]()
				}
			})
		}
		<-ctx.Done()
		group.Go(func() { check(s.Close()) })
		group.Go(func() { check(peer.Close()) })
		group.Wait()
		require.NoError(t, s.Context().Close())
		require.Zero(t, core.Rescues())
	}
}
