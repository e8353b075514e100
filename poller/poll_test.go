package poller_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/zmq"
)

// An idle socket, and a pipe that stays empty where there are pipes.
func idlePoller(t *testing.T) *poller.Poller {
	p := newPoller(t)
	s := newSocket(t, newContext(t), zmq.Pull)
	require.NoError(t, s.Bind(inprocName()))
	require.NoError(t, p.Add(s, poller.In))
	return p
}

// requireExact requires that a Poll, and a Wait with a deadline, return without events at
// the deadline, not before and not much later. It returns how long the Poll took.
func requireExact(t *testing.T, p *poller.Poller, timeout time.Duration) (took time.Duration) {
	t.Helper()
	start := time.Now()
	require.Empty(t, poll(t, p, timeout))
	took = time.Since(start)
	start = time.Now()
	ctx, cancel := timeoutContext(timeout)
	defer cancel()
	events, err := p.Wait(ctx)
	waited := time.Since(start)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Empty(t, events)
	for _, d := range []time.Duration{took, waited} {
		require.GreaterOrEqual(t, d, timeout)
		require.Less(t, d, timeout+soon)
	}
	return took
}

// A timeout below a millisecond neither becomes 0 nor waits for long. (Go's runtime wakes
// an idle process in steps of a millisecond.)
func TestTimeouts(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*poller.Poller{"a socket": idlePoller(t), "nothing": newPoller(t)} {
		for _, timeout := range []time.Duration{
			1, time.Microsecond, 499 * time.Microsecond, 500 * time.Microsecond, 999_999, time.Millisecond, 1_000_001,
			1500 * time.Microsecond, 20 * time.Millisecond, 101 * time.Millisecond,
		} {
			for range 3 {
				requireExact(t, p, timeout)
			}
		}
		least := time.Hour
		for range 100 {
			least = min(least, requireExact(t, p, 200*time.Microsecond))
		}
		require.Less(t, least, 20*time.Millisecond, "the fastest of 100")
		start := time.Now()
		for range 1000 {
			require.Empty(t, poll(t, p, 0), name)
		}
		require.Less(t, time.Since(start), soon, "Poll(0) waits")
	}
}

// A wait without a limit returns when something happens.
func TestLongWaits(t *testing.T) {
	t.Parallel()
	for _, timeout := range []time.Duration{-1, math.MinInt64, -time.Hour, math.MaxInt64, math.MaxInt64 - 1, 1 << 62, time.Hour} {
		t.Run(fmt.Sprint(int64(timeout)), func(t *testing.T) {
			t.Parallel()
			pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
			p := newPoller(t)
			require.NoError(t, p.Add(pull, poller.In))
			done := waiting(t, p, func() ([]poller.Event, error) { return p.Poll(timeout) })
			select {
			case r := <-done:
				require.FailNow(t, "it did not wait", "%+v", r)
			case <-time.After(20 * time.Millisecond):
			}
			require.NoError(t, push.SendString(context.Background(), "x"))
			r := await(t, done, "the message")
			require.NoError(t, r.err)
			require.Equal(t, poller.In, of(t, r.events, pull))
		})
	}
}

// The runtime interrupts threads with SIGURG. The wait ends at its deadline, however many
// arrive.
func TestSignalsKeepPollDeadlines(t *testing.T) {
	p := idlePoller(t)
	defer testutil.Interrupt(t, 50*time.Microsecond)()
	pull, push := connected(t, zmq.Pull, zmq.Push, tcp)
	require.NoError(t, p.Add(pull, poller.In))
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		requireExact(t, p, 500*time.Microsecond)
		requireExact(t, p, 50*time.Millisecond)
		require.NoError(t, push.SendString(context.Background(), "x"))
		require.Equal(t, poller.In, of(t, poll(t, p, -1), pull))
		here(t, recv(pull))
	}
}

// A message that arrives when a wait is cancelled or at its deadline is reported by this wait or the
// next call. No message is lost, and none is needed for the next call.
func TestEndOfWaitLosesNothing(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]func(t *testing.T, p *poller.Poller) []poller.Event{
		"deadline": func(t *testing.T, p *poller.Poller) []poller.Event { return poll(t, p, 1) },
		"cancel": func(t *testing.T, p *poller.Poller) []poller.Event {
			ctx, cancel := context.WithCancel(context.Background())
			var group sync.WaitGroup
			group.Go(cancel)
			events, err := p.Wait(ctx)
			group.Wait()
			if err != nil {
				require.ErrorIs(t, err, context.Canceled)
				require.Empty(t, events)
			}
			return events
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
			p := newPoller(t)
			require.NoError(t, p.Add(pull, poller.In))
			for range 2000 {
				done := make(chan error, 1)
				go func() { done <- push.SendString(context.Background(), "x") }()
				events := wait(t, p)
				require.NoError(t, await(t, done, "send"))
				if len(events) == 0 {
					events = poll(t, p, 0)
				}
				require.Equal(t, poller.In, of(t, events, pull))
				here(t, recv(pull))
				requireNow(t, p, pull, 0, "received")
			}
		})
	}
}

// The reasons for the end of a Poll and a Wait, and their errors.
func TestWaitEndsWithContextOrClose(t *testing.T) {
	t.Parallel()
	type ground struct {
		p      *poller.Poller
		c      *zmq.Context
		s      *zmq.Socket
		cancel context.CancelFunc
	}
	for name, test := range map[string]struct {
		end  func(g ground) error
		want error // nil: no error, and no events
		wait bool  // for Wait only
	}{
		"close":       {end: func(g ground) error { return g.p.Close() }, want: zmq.ErrClosed},
		"shutdown":    {end: func(g ground) error { return g.c.Shutdown() }, want: zmq.ErrTerminated},
		"the context": {end: func(g ground) error { return g.c.Close() }, want: zmq.ErrTerminated},
		"wake":        {end: func(g ground) error { return g.p.Wake() }},
		"cancel":      {end: func(g ground) error { g.cancel(); return nil }, want: context.Canceled, wait: true},
	} {
		for kind, call := range waits {
			if test.wait && kind != "Wait" {
				continue
			}
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				zctx := newContext(t)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				g := ground{newPoller(t), zctx, newSocket(t, zctx, zmq.Pull), cancel}
				require.NoError(t, g.p.Add(g.s, in))
				done := waiting(t, g.p, func() ([]poller.Event, error) { return call(ctx, g.p) })
				time.Sleep(5 * time.Millisecond) // so that it sleeps indeed
				start := time.Now()
				require.NoError(t, test.end(g))
				r := await(t, done, "the end")
				require.Less(t, time.Since(start), soon)
				require.Empty(t, r.events)
				if test.want == nil {
					require.NoError(t, r.err)
					return
				}
				require.ErrorIs(t, r.err, test.want)
				require.ErrorContains(t, r.err, "poller")
			})
		}
	}
}

// The error of a context that was shut down stays until its socket is removed. The other
// sockets are then served as before.
func TestAfterShutdown(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(t *testing.T, p *poller.Poller, s *zmq.Socket){
		"remove": func(t *testing.T, p *poller.Poller, s *zmq.Socket) { require.NoError(t, p.Remove(s)) },
		"close":  func(t *testing.T, _ *poller.Poller, s *zmq.Socket) { require.NoError(t, s.Close()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
			zctx := newContext(t)
			one, two := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Pub)
			p := newPoller(t)
			require.NoError(t, p.Add(pull, in))
			require.NoError(t, p.Add(one, in))
			require.NoError(t, p.Add(two, out))
			require.NoError(t, push.SendString(context.Background(), "x"))
			require.NoError(t, zctx.Shutdown())
			for range 3 {
				_, err := p.Poll(0)
				require.ErrorIs(t, err, zmq.ErrTerminated)
				_, err = p.Wait(context.Background())
				require.ErrorIs(t, err, zmq.ErrTerminated)
				require.ErrorContains(t, err, "remove or close")
			}
			require.ErrorIs(t, p.Add(one, in), zmq.ErrTerminated)
			require.NoError(t, p.Update(one, in))
			away(t, p, one)
			_, err := p.Poll(0)
			require.ErrorIs(t, err, zmq.ErrTerminated, "the other one is still there")
			away(t, p, two)
			require.Equal(t, 1, p.Len())
			require.Equal(t, in, of(t, poll(t, p, -1), pull))
			require.NoError(t, zctx.Close())
			require.Equal(t, in, of(t, poll(t, p, -1), pull), "there is nobody left to tell of")
		})
	}
}

// Closing a context removes its sockets. The Poller reports it once.
func TestAfterContextClose(t *testing.T) {
	t.Parallel()
	pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
	p := newPoller(t)
	require.NoError(t, p.Add(pull, in))
	zctx := newContext(t)
	for range 3 {
		require.NoError(t, p.Add(newSocket(t, zctx, zmq.Pull), in))
	}
	require.NoError(t, zctx.Close())
	require.Equal(t, 1, p.Len())
	_, err := p.Poll(-1)
	require.ErrorIs(t, err, zmq.ErrTerminated)
	require.NoError(t, push.SendString(context.Background(), "x"))
	require.Equal(t, in, of(t, poll(t, p, -1), pull))
}

// A closed socket is removed, also a paused one.
func TestSocketCloses(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	p := newPoller(t)
	closed, paused, open := newSocket(t, zctx, zmq.Pub), newSocket(t, zctx, zmq.Pub), newSocket(t, zctx, zmq.Pub)
	require.NoError(t, p.Add(closed, out))
	require.NoError(t, p.Add(paused, 0))
	require.NoError(t, p.Add(open, out))
	require.Len(t, poll(t, p, -1), 2)
	require.NoError(t, closed.Close())
	require.NoError(t, paused.Close())
	require.Equal(t, 1, p.Len())
	events := poll(t, p, -1)
	require.Len(t, events, 1)
	require.Equal(t, out, of(t, events, open))
	require.ErrorIs(t, p.Add(closed, out), zmq.ErrClosed)
	require.ErrorIs(t, p.Update(paused, out), syscall.EINVAL)

	// The next descriptor gets its number.
	for range 20 {
		s := newSocket(t, zctx, zmq.Pull)
		require.NoError(t, p.Add(s, in))
		require.Len(t, poll(t, p, 0), 1)
		require.NoError(t, s.Close())
	}
	require.Equal(t, 1, p.Len())
}

func TestWake(t *testing.T) {
	t.Parallel()
	p := idlePoller(t)
	require.NoError(t, p.Wake())
	require.NoError(t, p.Wake())
	start := time.Now()
	require.Empty(t, poll(t, p, time.Minute), "woken before")
	require.Less(t, time.Since(start), soon)
	start = time.Now()
	require.Empty(t, poll(t, p, 20*time.Millisecond))
	require.GreaterOrEqual(t, time.Since(start), 20*time.Millisecond, "once")

	done := waiting(t, p, forEver(p))
	require.NoError(t, p.Wake())
	require.Equal(t, 0, len(await(t, done, "wake").events))

	// Each of many changes is seen, by the Poll under way or by the next one.
	for range 2000 {
		var group sync.WaitGroup
		group.Go(func() { _ = p.Wake() })
		require.Empty(t, poll(t, p, -1))
		group.Wait()
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.NoError(t, p.Wake())
	_, err := p.Wait(ctx)
	require.ErrorIs(t, err, context.Canceled, "a context that has ended is said first")
	require.Empty(t, poll(t, p, time.Minute), "and Wake remains")
}

func TestWaitContexts(t *testing.T) {
	t.Parallel()
	pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
	p := newPoller(t)
	require.NoError(t, p.Add(pull, in))
	require.NoError(t, push.SendString(context.Background(), "x"))
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	past, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Hour))
	defer cancel()
	for range 3 {
		for _, ctx := range []context.Context{canceled, past} {
			events, err := p.Wait(ctx)
			require.ErrorIs(t, err, ctx.Err())
			require.Empty(t, events)
		}
	}
	events, err := p.Wait(context.Background())
	require.NoError(t, err)
	require.Equal(t, in, of(t, events, pull))
	events, err = p.Wait(context.WithoutCancel(canceled))
	require.NoError(t, err)
	require.Equal(t, in, of(t, events, pull))
}

// Sockets, their contexts and the Poller are closed at the same moment.
func TestCloseRaces(t *testing.T) {
	t.Parallel()
	for range 100 {
		zctx := newContext(t)
		p, err := poller.New()
		require.NoError(t, err)
		var sockets []*zmq.Socket
		for range 20 {
			s := newSocket(t, zctx, zmq.Pull)
			require.NoError(t, p.Add(s, in))
			sockets = append(sockets, s)
		}
		var group sync.WaitGroup
		group.Go(func() {
			for {
				if _, err := p.Wait(context.Background()); err != nil {
					return
				}
			}
		})
		group.Go(func() { _ = p.Close() })
		group.Go(func() {
			for _, s := range sockets[:10] {
				_ = s.Close()
			}
		})
		group.Go(func() { _ = zctx.Close() })
		group.Wait()
		_, err = p.Poll(0)
		require.ErrorIs(t, err, zmq.ErrClosed)
		require.NoError(t, zctx.Close())
	}
}
