package poller_test

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
)

func after(t testing.TB, r *poller.Reactor, d time.Duration, f func() error) *poller.Timer {
	t.Helper()
	timer, err := r.After(d, f)
	require.NoError(t, err)
	return timer
}

func stop() error { return errStop }

// A thousand timers fire in order, none before its time.
func TestTimersInOrder(t *testing.T) {
	t.Parallel()
	r := newReactor(t)
	// Timers in the far future do no harm.
	for _, d := range []time.Duration{math.MaxInt64, math.MaxInt64 / 2, 1 << 61} {
		after(t, r, d, stop)
		_, err := r.Every(d, stop)
		require.NoError(t, err)
	}
	const n = 1000
	called := 0
	var last time.Time // the earliest that the last one can have been due
	for range n {
		d := time.Duration(rand.IntN(200)) * time.Millisecond
		var least, most time.Time
		least = time.Now().Add(d)
		after(t, r, d, func() error {
			require.False(t, time.Now().Before(least))
			require.False(t, last.After(most), "not in order")
			last = least
			if called++; called == n {
				return errStop
			}
			return nil
		})
		most = time.Now().Add(d)
	}
	require.Equal(t, errStop, run(t, r))
}

func TestCancel(t *testing.T) {
	t.Parallel()
	r := newReactor(t)
	require.True(t, after(t, r, 0, stop).Cancel(), "before Run")
	twice := after(t, r, time.Hour, stop)
	require.True(t, twice.Cancel())
	require.False(t, twice.Cancel())

	// Cancelled by a function of the same round, and by its own.
	var second, own, every *poller.Timer
	calls := 0
	after(t, r, 0, func() error { require.True(t, second.Cancel()); return nil })
	second = after(t, r, 0, stop)
	own = after(t, r, 0, func() error { require.False(t, own.Cancel(), "it is being called"); return nil })
	every, err := r.Every(time.Microsecond, func() error {
		if calls++; calls == 3 {
			require.True(t, every.Cancel(), "another call was to come")
			require.False(t, every.Cancel())
			later(t, r, 10)
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, errStop, run(t, r))
	require.Equal(t, 3, calls)
	require.False(t, own.Cancel(), "it was called")
}

// Every keeps its schedule, however long the calls take. One call replaces all missed
// times.
func TestReactorEveryRepeats(t *testing.T) {
	t.Parallel()
	r := newReactor(t)
	const d = 20 * time.Millisecond
	start := time.Now()
	var calls []time.Duration
	kept := false
	_, err := r.Every(d, func() error {
		at := time.Since(start)
		// A busy machine may delay all calls. A call that is less late than the one
		// before follows it sooner than the interval.
		kept = kept || len(calls) > 0 && at-calls[len(calls)-1] < d-d/5
		calls = append(calls, at)
		switch n := len(calls); {
		case n == 3: // misses three times
			time.Sleep(3*d + d/2)
		case n < 10:
			time.Sleep(d / 4) // does not add up
		case kept || n == 100:
			return errStop
		case n%2 == 0:
			time.Sleep(d + time.Duration(n%8)*d/8) // makes the next one late, more or less
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, errStop, run(t, r))
	require.True(t, kept, "it drifts: %v", calls)
	for i, at := range calls {
		n := i + 1 // the schedule's
		if i >= 3 {
			n += 2 // at least: the one that is late makes up for three
		}
		require.GreaterOrEqual(t, at, time.Duration(n)*d, "call %d of %v", i, calls)
	}
}

// After in another goroutine wakes Run, however long it would sleep.
func TestAfterWakesRun(t *testing.T) {
	t.Parallel()
	r := newReactor(t)
	ctx, end := timeoutContext(patience)
	defer end()
	after(t, r, time.Hour, stop)
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	for range 500 {
		called := make(chan struct{})
		after(t, r, 0, func() error { close(called); return nil })
		await(t, called, "the function")
	}
	// Functions that many goroutines schedule need no lock.
	n, want := 0, 0
	var group sync.WaitGroup
	for range 8 {
		want += 100
		group.Go(func() {
			for range 100 {
				_, err := r.After(0, func() error { n++; return nil })
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	after(t, r, 0, stop)
	require.Equal(t, errStop, await(t, done, "the end"))
	require.Equal(t, want, n)
}
