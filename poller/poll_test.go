package poller_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
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
