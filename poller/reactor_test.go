package poller_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

var errStop = errors.New("enough")

// always returns a socket that is ready at all times.
func always(t testing.TB, zctx *zmq.Context) *zmq.Socket {
	t.Helper()
	return newSocket(t, zctx, zmq.Pub)
}

// run is Run, with a limit.
func run(t testing.TB, r *poller.Reactor) error {
	t.Helper()
	return r.Run(within(t))
}

// later ends the Run of a Reactor after a few rounds.
func later(t testing.TB, r *poller.Reactor, rounds int) {
	t.Helper()
	_, err := r.After(0, func() error {
		if rounds--; rounds <= 0 {
			return errStop
		}
		later(t, r, rounds)
		return nil
	})
	require.NoError(t, err)
}

func TestReactorServes(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		pull, push := connected(t, zmq.Pull, zmq.Push, endpoint)
		r := newReactor(t)
		const n = 500
		got := 0
		require.NoError(t, r.Handle(pull, in, func(e poller.Event) error {
			require.Equal(t, poller.Event{Socket: pull, Events: in}, e)
			if err := recv(pull)(); err != nil {
				return err
			}
			if got++; got == n {
				return errStop
			}
			return nil
		}))
		go func() {
			for range n {
				_ = push.SendString(context.Background(), "x")
			}
		}()
		require.Same(t, errStop, run(t, r), "as it is, not wrapped")
		require.Equal(t, n, got)
	})
}

// The reasons for the end of Run. It can be called again afterwards.
func TestReactorEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end   func(r *poller.Reactor, zctx *zmq.Context, cancel func()) error
		want  error
		again error // what Run then ends with
	}{
		"handler":  {func(*poller.Reactor, *zmq.Context, func()) error { return errStop }, errStop, errStop},
		"context":  {func(_ *poller.Reactor, _ *zmq.Context, cancel func()) error { cancel(); return nil }, context.Canceled, context.Canceled},
		"close":    {func(r *poller.Reactor, _ *zmq.Context, _ func()) error { return r.Close() }, zmq.ErrClosed, zmq.ErrClosed},
		"shutdown": {func(_ *poller.Reactor, zctx *zmq.Context, _ func()) error { return zctx.Shutdown() }, zmq.ErrTerminated, zmq.ErrTerminated},
	} {
		for _, from := range []string{"handler", "timer", "outside"} {
			if name == "handler" && from == "outside" {
				continue
			}
			t.Run(name+"/"+from, func(t *testing.T) {
				t.Parallel()
				zctx := newContext(t)
				r := newReactor(t)
				ctx, cancel := timeoutContext(patience)
				defer cancel()
				end := func() error { return test.end(r, zctx, cancel) }
				calls := 0
				pub := always(t, zctx)
				switch from {
				case "handler":
					// In the middle of a round: no further handler is called.
					for _, s := range []*zmq.Socket{pub, always(t, zctx), always(t, zctx)} {
						require.NoError(t, r.Handle(s, out, func(poller.Event) error { calls++; return end() }))
					}
				case "timer":
					require.NoError(t, r.Handle(pub, in, handleNothing))
					_, err := r.Every(time.Microsecond, func() error { calls++; return end() })
					require.NoError(t, err)
				case "outside":
					require.NoError(t, r.Handle(pub, in, handleNothing))
					go func() {
						time.Sleep(5 * time.Millisecond) // most often Run sleeps by then; both orders must do
						_ = end()
					}()
				}
				require.ErrorIs(t, r.Run(ctx), test.want)
				if from != "outside" && name != "shutdown" { // a shutdown does not end the round
					require.Equal(t, 1, calls)
				}
				require.ErrorIs(t, r.Run(ctx), test.again)
			})
		}
	}
}

func TestReactorTwiceAtOnce(t *testing.T) {
	t.Parallel()
	r := newReactor(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	started := make(chan struct{})
	_, err := r.After(0, func() error {
		close(started)
		require.ErrorIs(t, r.Run(ctx), zmq.ErrState, "from a handler")
		return nil
	})
	require.NoError(t, err)
	go func() { done <- r.Run(ctx) }()
	await(t, started, "Run")
	for range 3 {
		err := r.Run(context.Background())
		require.ErrorIs(t, err, zmq.ErrState)
		require.ErrorContains(t, err, "another goroutine")
	}
	cancel()
	require.ErrorIs(t, await(t, done, "the first Run goes on"), context.Canceled)
	later(t, r, 3)
	require.Equal(t, errStop, run(t, r), "and can be followed by another one")
}

// A panic of a handler reaches the caller of Run unchanged. The Reactor can still be
// used.
func TestReactorPanics(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"handler", "timer"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			zctx := newContext(t)
			r := newReactor(t)
			first := true
			f := func() error {
				if first {
					first = false
					panic("ouch")
				}
				return errStop
			}
			if from == "handler" {
				require.NoError(t, r.Handle(always(t, zctx), out, func(poller.Event) error { return f() }))
			} else {
				_, err := r.Every(time.Microsecond, f)
				require.NoError(t, err)
			}
			require.PanicsWithValue(t, "ouch", func() { _ = run(t, r) })
			require.Equal(t, errStop, run(t, r))
		})
	}
}

// Other goroutines add and remove while it runs.
func TestReactorChangedFromOutside(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	r := newReactor(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 30 {
				s, err := zctx.NewSocket(zmq.Pub)
				if err != nil {
					t.Error(err)
					return
				}
				called := make(chan struct{})
				var once sync.Once
				var removed atomic.Bool
				err = r.Handle(s, out, func(poller.Event) error {
					once.Do(func() { close(called) })
					if removed.Load() {
						return fmt.Errorf("called after it was removed by the Reactor's goroutine")
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
				<-called
				gone := make(chan error)
				_, _ = r.After(0, func() error { removed.Store(true); gone <- r.Remove(s); return nil })
				if err := <-gone; err != nil {
					t.Error(err)
				}
				_ = s.Close()
			}
		})
	}
	group.Wait()
	cancel()
	require.ErrorIs(t, await(t, done, "Run"), context.Canceled)
}
