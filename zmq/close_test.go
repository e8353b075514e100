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
	fill := func(t *testing.T, settings ...zmq.Setting) (*zmq.Context, string) {
		zctx := newContext(t)
		s := noErr(zctx.NewSocket(zmq.Push, settings...))(t)
		dead := deadEndpoint(t)
		require.NoError(t, s.Connect(dead))
		for range 1000 {
			require.NoError(t, s.SendString(context.Background(), "never"))
		}
		return zctx, dead
	}
	t.Run("default linger", func(t *testing.T) {
		zctx, _ := fill(t)
		start := time.Now()
		require.NoError(t, zctx.Close())
		require.Less(t, time.Since(start), 10*time.Second)
	})
	t.Run("deadline later than the default linger", func(t *testing.T) {
		zctx, dead := fill(t)
		ctx, cancel := context.WithTimeout(context.Background(), 1500*time.Millisecond)
		defer cancel()
		err := zctx.CloseContext(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "PUSH "+dead)
		require.NoError(t, zctx.Close())
	})
	t.Run("default linger after a shutdown", func(t *testing.T) {
		zctx, dead := fill(t)
		require.NoError(t, zctx.Shutdown())
		err := zctx.CloseContext(within(t))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "PUSH "+dead)
		require.NoError(t, zctx.Close())
	})
	t.Run("no linger", func(t *testing.T) {
		zctx, _ := fill(t, zmq.Linger.To(0))
		start := time.Now()
		require.NoError(t, zctx.Close())
		require.Less(t, time.Since(start), 5*time.Second)
	})
	t.Run("deadline", func(t *testing.T) {
		zctx, dead := fill(t, zmq.Linger.To(-1))
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		start := time.Now()
		err := zctx.CloseContext(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "PUSH "+dead)
		require.Less(t, time.Since(start), 10*time.Second)
		require.NoError(t, zctx.Close(), "open sockets give up after the deadline")
	})
	t.Run("deadline whose timer is late", func(t *testing.T) {
		zctx, dead := fill(t, zmq.Linger.To(-1))
		err := zctx.CloseContext(lateTimer{context.Background()})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "PUSH "+dead)
		require.NoError(t, zctx.Close())
	})
	t.Run("closed before", func(t *testing.T) {
		zctx := newContext(t)
		s, err := zctx.NewSocket(zmq.Push, zmq.Linger.To(5*time.Second)) // generous, because a machine may stall
		require.NoError(t, err)
		dead := deadEndpoint(t)
		require.NoError(t, s.Connect(dead))
		require.NoError(t, s.SendString(context.Background(), "never"))
		quiet := noErr(zctx.NewSocket(zmq.Pull))(t)
		require.NoError(t, quiet.Bind("tcp://127.0.0.1:*"))
		require.NoError(t, s.Close())
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		err = zctx.CloseContext(ctx)
		require.ErrorContains(t, err, "PUSH "+dead)
		require.NotContains(t, err.Error(), "PULL")
		require.NoError(t, zctx.Close())
	})
}

// A lateTimer is a context whose deadline is over, and which has not heard of it yet.
type lateTimer struct{ context.Context }

func (lateTimer) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }

// Messages that were sent before Close arrive if the peer receives them.
func TestCloseFlushes(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pull := newSocket(t, zctx, zmq.Pull)
	require.NoError(t, pull.Bind("tcp://127.0.0.1:*"))
	endpoint := last(t, pull)
	const messages = 20000
	sender := newContext(t)
	push := noErr(sender.NewSocket(zmq.Push, zmq.Linger.To(time.Minute), zmq.SendHWM.To(0)))(t)
	require.NoError(t, push.Connect(endpoint))
	for range messages {
		require.NoError(t, push.SendString(context.Background(), "kept"))
	}
	closed := make(chan error, 1)
	go func() { closed <- sender.Close() }()
	for range messages {
		recvString(t, pull)
	}
	require.NoError(t, <-closed)
}

// So it does without Linger: the sockets give up when CloseContext does.
func TestCloseFlushesByDefault(t *testing.T) {
	t.Parallel()
	pull := newSocket(t, newContext(t), zmq.Pull, zmq.RecvHWM.To(2))
	require.NoError(t, pull.Bind("tcp://127.0.0.1:*"))
	endpoint := last(t, pull)
	sender := newContext(t)
	push := noErr(sender.NewSocket(zmq.Push, zmq.SendHWM.To(0)))(t)
	require.NoError(t, push.Connect(endpoint))
	const messages = 50
	for range messages { // more than the system's buffers hold
		require.NoError(t, push.Send(context.Background(), make([]byte, 1<<20)))
	}
	ctx := within(t)
	closed := make(chan error, 1)
	go func() { closed <- sender.CloseContext(ctx) }()
	select {
	case err := <-closed:
		require.Fail(t, "it did not wait", "%v", err)
	case <-time.After(1500 * time.Millisecond): // time to give up after the default linger
	}
	for range messages {
		require.NoError(t, errOf(pull.RecvBytes(ctx)))
	}
	require.NoError(t, <-closed)
}

func TestCloseIsIdempotentAndUnblocks(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	s := newSocket(t, zctx, zmq.Pull)
	require.NoError(t, s.Bind(inprocName()))
	errs := make(chan error, 20)
	for range cap(errs) {
		go func() { _, err := s.RecvBytes(context.Background()); errs <- err }()
	}
	awaitParked(t, s, cap(errs))
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for range cap(errs) {
		err := <-errs
		require.ErrorIs(t, err, zmq.ErrClosed)
		require.ErrorIs(t, err, net.ErrClosed)
	}
	require.ErrorIs(t, s.SendString(context.Background(), "x"), zmq.ErrClosed)
	require.ErrorIs(t, s.Bind(inprocName()), zmq.ErrClosed)
	require.ErrorIs(t, s.Set(zmq.Linger.To(0)), zmq.ErrClosed)
	require.False(t, s.RecvMore())
}

// Shutdown ends the calls that wait, and refuses those that follow.
func TestShutdown(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	s := newSocket(t, zctx, zmq.Dealer)
	require.NoError(t, s.Bind(inprocName()))
	calls := []func() error{
		func() error { _, err := s.RecvBytes(context.Background()); return err },
		func() error { _, err := s.RecvMultipart(context.Background()); return err },
		func() error { return s.SendString(context.Background(), "no peer") },
		func() error { return s.SendMultipart(context.Background(), [][]byte{[]byte("no"), []byte("peer")}) },
	}
	errs := make(chan error, len(calls))
	for _, call := range calls {
		go func() { errs <- call() }()
	}
	awaitParked(t, s, len(calls))
	require.NoError(t, zctx.Shutdown())
	require.NoError(t, zctx.Shutdown())
	for range calls {
		require.ErrorIs(t, <-errs, zmq.ErrTerminated)
	}
	require.ErrorIs(t, s.SendString(context.Background(), "x", zmq.DontWait), zmq.ErrTerminated)
	_, e := zctx.NewSocket(zmq.Pull)
	require.ErrorIs(t, e, zmq.ErrTerminated)
	require.NoError(t, s.Close())
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
	for round := 0; round < 20 || there.Load() == 0 || back.Load() == 0; round++ {
		require.NoError(t, limit.Err(), "messages: %d there, %d back", there.Load(), back.Load())
		zctx := newContext(t)
		s, peer := newSocket(t, zctx, zmq.Dealer), newSocket(t, zctx, zmq.Dealer)
		connect(t, s, peer, "tcp://127.0.0.1:*")
		var group sync.WaitGroup
		ctx := timeout(t, 100*time.Millisecond)
		done := func(err error) bool {
			switch {
			case err == nil:
				return true
			case errors.Is(err, zmq.ErrAgain), errors.Is(err, zmq.ErrClosed), errors.Is(err, context.DeadlineExceeded):
			case errors.Is(err, zmq.ErrHostUnreachable) && ctx.Err() != nil: // the other one is closed already
			default:
				t.Error(err)
			}
			return false
		}
		for i := range 64 {
			group.Go(func() {
				buf := make([]byte, 16)
				for ctx.Err() == nil {
					switch i % 5 {
					case 0:
						done(s.SendMultipart(ctx, [][]byte{{1}, {2}, {3}}))
					case 1:
						parts, err := s.RecvMultipart(ctx)
						if done(err) {
							back.Add(1)
							if len(parts) != 3 {
								t.Error("torn message")
							}
						}
					case 2:
						done(s.Set(zmq.Linger.To(0)))
						_, err := zmq.Linger.Get(s)
						done(err)
					case 3:
						done(peer.SendMultipart(ctx, [][]byte{{1}, {2}, {3}}))
						_, err := peer.RecvMultipart(ctx)
						if done(err) {
							there.Add(1)
						}
					case 4:
						_, err := s.LastEndpoint()
						done(err)
						for more := true; more; more = peer.RecvMore() {
							if _, err := peer.Recv(context.Background(), buf, zmq.DontWait); done(err) {
								there.Add(1)
							}
						}
					}
				}
			})
		}
		<-ctx.Done()
		group.Go(func() { done(s.Close()) })
		group.Go(func() { done(peer.Close()) })
		group.Wait()
		require.NoError(t, zctx.Close())
		require.Zero(t, core.Rescues())
	}
}
