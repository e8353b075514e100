package poller_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// A wait returns when a socket becomes ready that was added or updated during it.
func TestChangesDuringAWait(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(p *poller.Poller, s *zmq.Socket) error{
		"add":    func(p *poller.Poller, s *zmq.Socket) error { return p.Add(s, out) },
		"update": func(p *poller.Poller, s *zmq.Socket) error { return p.Update(s, out) },
		"remove and add": func(p *poller.Poller, s *zmq.Socket) error {
			return errors.Join(p.Remove(s), p.Add(s, out))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := idlePoller(t)
			zctx := newContext(t)
			for range 200 {
				s := newSocket(t, zctx, zmq.Pub)
				if name != "add" {
					require.NoError(t, p.Add(s, in))
				}
				done := waiting(t, p, forEver(p))
				require.NoError(t, change(p, s))
				r := await(t, done, "the change was not noticed")
				require.NoError(t, r.err)
				require.Equal(t, out, of(t, r.events, s))
				require.NoError(t, s.Close())
			}
		})
	}
}

// A removed socket is not reported again. Receives of other goroutines afterwards do no
// harm.
func TestRemoveDuringAWait(t *testing.T) {
	t.Parallel()
	pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
	p := newPoller(t)
	for range 200 {
		require.NoError(t, p.Add(pull, in))
		done := waiting(t, p, forEver(p))
		require.NoError(t, p.Remove(pull))
		require.NoError(t, push.SendString(context.Background(), "x"))
		require.NoError(t, p.Wake())
		r := await(t, done, "the end")
		require.NoError(t, r.err)
		require.Empty(t, r.events)
		here(t, recv(pull))
	}
	require.Zero(t, p.Len())
}

// Of two calls at the same time, the second is refused and the first goes on.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
	p := newPoller(t)
	require.NoError(t, p.Add(pull, in))
	done := waiting(t, p, forEver(p))
	for range 10 {
		for _, timeout := range []time.Duration{-1, 0, time.Second} {
			_, err := p.Poll(timeout)
			require.ErrorIs(t, err, zmq.ErrState)
			require.ErrorContains(t, err, "another goroutine")
		}
		_, err := p.Wait(context.Background())
		require.ErrorIs(t, err, zmq.ErrState)
	}
	require.NoError(t, push.SendString(context.Background(), "x"))
	r := await(t, done, "the message")
	require.NoError(t, r.err)
	require.Equal(t, in, of(t, r.events, pull))
}

// Eight goroutines add, update, remove, close, send and receive while one waits. The
// Poller reports no socket that was closed before the wait. At the end it knows all
// sockets.
func TestEverythingAtOnce(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	p := newPoller(t)
	length := 2 * time.Second
	if testing.Short() {
		length /= 10
	}
	end := time.Now().Add(length)
	var changers, waiter sync.WaitGroup
	var events atomic.Int64
	waiter.Go(func() {
		for {
			list, err := p.Wait(context.Background())
			if err != nil {
				if !errors.Is(err, zmq.ErrClosed) {
					t.Error(err)
				}
				return
			}
			for _, e := range list {
				events.Add(1)
				if e.Socket == nil || e.Events == 0 || e.Events&^both != 0 {
					t.Errorf("%+v", e)
				}
				_, _ = e.Socket.RecvMultipart(context.Background(), zmq.DontWait)
			}
		}
	})
	shared := newSocket(t, zctx, zmq.Dealer)
	name := inprocName()
	require.NoError(t, shared.Bind(name))
	allowed := func(err error) bool {
		return err == nil || errors.Is(err, syscall.EINVAL) || errors.Is(err, zmq.ErrClosed) || errors.Is(err, zmq.ErrAgain)
	}
	for range 8 {
		changers.Go(func() {
			for time.Now().Before(end) {
				own, err := zctx.NewSocket(zmq.Dealer, zmq.Linger.To(0))
				if errors.Is(err, syscall.EMFILE) { // libzmq is still busy with closing others
					time.Sleep(time.Millisecond)
					continue
				}
				if err = errors.Join(err, own.Connect(name)); err != nil {
					t.Error(err)
					return
				}
				for range 20 {
					s := own
					if rand.IntN(2) == 0 {
						s = shared
					}
					switch interest := poller.Events(1 + rand.IntN(3)); rand.IntN(6) {
					case 0, 1:
						err = p.Add(s, interest)
					case 2:
						err = p.Update(s, interest)
					case 3:
						err = p.Remove(s)
					case 4:
						err = s.SendString(context.Background(), "x", zmq.DontWait)
					case 5:
						err = p.Wake()
					}
					if !allowed(err) {
						t.Error(err)
					}
				}
				_ = own.Close()
			}
		})
	}
	changers.Wait()
	if err := p.Add(shared, out); err != nil {
		require.ErrorIs(t, err, syscall.EINVAL)
	}
	require.Equal(t, 1, p.Len())
	require.NoError(t, p.Close())
	waiter.Wait()
	t.Log(events.Load(), "events")
}
