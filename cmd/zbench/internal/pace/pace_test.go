package pace_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
)

// clock is a Clock that goes only when it is waited on or sent with.
type clock struct {
	now  time.Duration
	late func() time.Duration // how much longer than asked a Wait lasts
}

func (c *clock) Now() time.Duration { return c.now }

func (c *clock) Wait(t time.Duration) {
	c.now = max(c.now, min(t, c.now+50*time.Millisecond)) + c.late()
}

// Whatever the clock and the sends do: nothing is sent before it is due, everything
// that is due before the end is sent or counted as unsent, in order, and with the
// due time that the schedule says.
func TestPacer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(1, 5000).Draw(t, "rate")
		arrivals := rapid.SampledFrom([]string{pace.Uniform, pace.Poisson}).Draw(t, "arrivals")
		seed := rapid.Uint64().Draw(t, "seed")
		start := time.Duration(rapid.IntRange(0, 1e9).Draw(t, "start"))
		end := start + time.Duration(rapid.IntRange(1, 1e9).Draw(t, "duration"))
		grace := time.Duration(rapid.SampledFrom([]int{0, 1e8}).Draw(t, "grace"))
		limit := rapid.SampledFrom([]int64{0, 1, 100}).Draw(t, "limit")
		c := &clock{
			now: time.Duration(rapid.IntRange(0, 2e9).Draw(t, "now")), // may be past the end
			late: func() time.Duration {
				return time.Duration(rapid.SampledFrom([]int{0, 0, 1, 60_000, 5_000_000}).Draw(t, "late"))
			},
		}
		schedule := func() pace.Schedule {
			s, err := pace.New(arrivals, rate, seed)
			require.NoError(t, err)
			return s
		}

		expected := schedule()
		var sent int64
		p := pace.Pacer{Clock: c, Schedule: schedule(), Start: start, End: end, Grace: grace, Limit: limit}
		counts, err := p.Run(context.Background(), func(due, now time.Duration) error {
			require.Equal(t, start+expected.Next(), due)
			require.GreaterOrEqual(t, now, due)
			require.Equal(t, c.now, now)
			require.Less(t, now, end+grace)
			require.Less(t, due, end)
			sent++
			c.now += time.Duration(rapid.SampledFrom([]int{0, 100, 40_000_000}).Draw(t, "sending"))
			return nil
		})
		require.NoError(t, err)

		var due int64
		for s := schedule(); limit == 0 || due < limit; due++ {
			if start+s.Next() >= end {
				break
			}
		}
		require.Equal(t, pace.Counts{Due: due, Sent: sent}, counts)
	})
}

// A sender that was held up sends all that is due at once.
func TestPacerCatchesUp(t *testing.T) {
	t.Parallel()
	s, err := pace.New(pace.Uniform, 1000, 0)
	require.NoError(t, err)
	c := &clock{late: func() time.Duration { return 0 }}
	var lateness []time.Duration
	p := pace.Pacer{Clock: c, Schedule: s, End: 10 * time.Millisecond}
	counts, err := p.Run(t.Context(), func(due, now time.Duration) error {
		lateness = append(lateness, now-due)
		if due == 2*time.Millisecond {
			c.now += 5 * time.Millisecond
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, pace.Counts{Due: 10, Sent: 10}, counts)
	ms := time.Millisecond
	require.Equal(t, []time.Duration{0, 0, 0, 4 * ms, 3 * ms, 2 * ms, 1 * ms, 0, 0, 0}, lateness)
}

func TestPacerStops(t *testing.T) {
	t.Parallel()
	s, err := pace.New(pace.Uniform, 0.001, 0)
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	p := pace.Pacer{Clock: pace.Real{Spin: true}, Schedule: s, Start: pace.Now()}
	counts, err := p.Run(ctx, func(time.Duration, time.Duration) error {
		cancel(enough) // the next is due in 1,000 s
		return nil
	})
	require.ErrorIs(t, err, enough)
	require.Equal(t, pace.Counts{Due: 1, Sent: 1}, counts)

	s, err = pace.New(pace.Uniform, 1000, 0)
	require.NoError(t, err)
	failure := errors.New("failure")
	p = pace.Pacer{Clock: pace.Real{}, Schedule: s, Start: pace.Now()}
	_, err = p.Run(t.Context(), func(time.Duration, time.Duration) error { return failure })
	require.ErrorIs(t, err, failure)
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	for _, bad := range []float64{0, -1, math.NaN()} {
		_, err := pace.New(pace.Uniform, bad, 0)
		require.Error(t, err)
	}
	_, err := pace.New("bursts", 1, 0)
	require.EqualError(t, err, `unknown arrivals "bursts"; use "uniform" or "poisson"`)

	// A hundred thousand at random take about as long as they would in turn.
	s, err := pace.New(pace.Poisson, 1000, 42)
	require.NoError(t, err)
	again, err := pace.New(pace.Poisson, 1000, 42)
	require.NoError(t, err)
	var last time.Duration
	for range 100_000 {
		last = s.Next()
		require.Equal(t, last, again.Next())
	}
	require.InEpsilon(t, 100*time.Second, last, 0.05)

	// No drift: the millionth is where it belongs.
	s, err = pace.New(pace.Uniform, 3, 0)
	require.NoError(t, err)
	for range 3_000_000 {
		s.Next()
	}
	require.Equal(t, 1_000_000*time.Second, s.Next())
}

// What several senders have due is together what one would have, and each knows how much
// of it is left.
func TestShares(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(0.1, 1e6).Draw(t, "rate")
		n := rapid.IntRange(1, 100).Draw(t, "senders")
		each := rapid.IntRange(1, 20).Draw(t, "messages")
		told := rapid.IntRange(0, each).Draw(t, "told")
		all, err := pace.New(pace.Uniform, rate, 0)
		require.NoError(t, err)
		var one, merged []time.Duration
		for range n * each {
			one = append(one, all.Next())
		}
		end := all.Next()
		for i := range n {
			s, err := pace.Share(pace.Uniform, rate, 0, i, n)
			require.NoError(t, err)
			for range each {
				merged = append(merged, s.Next())
			}
			s, err = pace.Share(pace.Uniform, rate, 0, i, n)
			require.NoError(t, err)
			for range told {
				s.Next()
			}
			require.EqualValues(t, each-told, s.Before(end))
		}
		slices.Sort(merged)
		require.Equal(t, one, merged)
	})

	// At random each has its part of the rate.
	s, err := pace.Share(pace.Poisson, 4000, 42, 3, 4)
	require.NoError(t, err)
	require.InEpsilon(t, 100_000, s.Before(100*time.Second), 0.05)
}

func TestRealClock(t *testing.T) {
	t.Parallel()
	for _, spin := range []bool{true, false} {
		c := pace.Real{Spin: spin}
		due := c.Now() + 2*time.Millisecond
		for c.Now() < due { // a sleep may be cut short
			c.Wait(due)
		}
		before := c.Now()
		c.Wait(before + time.Hour)
		require.Less(t, c.Now()-before, time.Minute)
	}
}

func TestHiccups(t *testing.T) {
	t.Parallel()
	h := pace.StartHiccups(pace.Nap)
	for c := pace.Now(); pace.Now()-c < 20*time.Millisecond; {
		runtime.Gosched()
	}
	require.NotNil(t, h.Stop())
}

// How many are left is reckoned, and is what counting them would say.
func TestRestOfAnUnreachableRate(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{1, 3, 7, 999, 1000, 44_100, 1e6, 3e7} {
		s, err := pace.New(pace.Uniform, rate, 0)
		require.NoError(t, err)
		end := 1100 * time.Millisecond
		counted := int64(0)
		for s.Next() < end {
			counted++
		}
		clock := &lateClock{}
		s, err = pace.New(pace.Uniform, rate, 0)
		require.NoError(t, err)
		p := pace.Pacer{Clock: clock, Schedule: s, End: end}
		n, err := p.Run(t.Context(), func(time.Duration, time.Duration) error {
			clock.now = 2 * end // the first send takes longer than everything
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, counted, n.Due, "at %v a second", rate)
		require.Equal(t, int64(1), n.Sent)
	}
}

// A random load that cannot be reached is reckoned, too: in no time, alike with the same
// seed, and as many as there are in the mean.
func TestRestOfAnUnreachableRandomRate(t *testing.T) {
	t.Parallel()
	const rate, end = 1e9, time.Hour // drawn one by one it would take hours
	rest := func(seed uint64) int64 {
		clock := &lateClock{}
		s, err := pace.New(pace.Poisson, rate, seed)
		require.NoError(t, err)
		p := pace.Pacer{Clock: clock, Schedule: s, End: end}
		n, err := p.Run(t.Context(), func(time.Duration, time.Duration) error {
			clock.now = 2 * end
			return nil
		})
		require.NoError(t, err)
		return n.Due
	}
	mean := rate * end.Seconds()
	sum, squares := 0.0, 0.0
	const seeds = 1000
	for seed := range uint64(seeds) {
		n := rest(seed)
		require.InDelta(t, mean, n, 8*math.Sqrt(mean))
		sum += float64(n) - mean
		squares += (float64(n) - mean) * (float64(n) - mean)
	}
	require.Equal(t, rest(7), rest(7))
	require.InDelta(t, 0, sum/seeds, 5*math.Sqrt(mean/seeds))
	require.InEpsilon(t, mean, squares/seeds, 0.25, "the variance is the mean")

	// Fewer are counted: the number is that of the schedule itself.
	s, err := pace.New(pace.Poisson, 1e5, 1)
	require.NoError(t, err)
	counted := int64(0)
	for s.Next() < time.Second {
		counted++
	}
	s, err = pace.New(pace.Poisson, 1e5, 1)
	require.NoError(t, err)
	require.Equal(t, counted, s.Before(time.Second))
}

type lateClock struct{ now time.Duration }

func (c *lateClock) Now() time.Duration       { return c.now }
func (c *lateClock) Wait(until time.Duration) { c.now = until }

// Goroutines that pace have processors of their own for as long as they pace.
func TestSpare(t *testing.T) { // not parallel: GOMAXPROCS is the process's
	before := runtime.GOMAXPROCS(0)
	first, second := pace.Spare(2), pace.Spare(1)
	require.Equal(t, before+3, runtime.GOMAXPROCS(0))
	first()
	first() // does nothing
	require.Equal(t, before+1, runtime.GOMAXPROCS(0))
	second()
	require.Equal(t, before, runtime.GOMAXPROCS(0))
}

// A thread that was precise sleeps as long as it is told to.
func TestPrecise(t *testing.T) {
	t.Parallel()
	undo := pace.Precise()
	due := pace.Now() + 3*time.Millisecond
	for pace.Now() < due { // a sleep may be cut short
		pace.SleepUntil(due)
	}
	undo()
	passed := pace.Now()
	pace.SleepUntil(0) // has passed
	require.Less(t, pace.Now()-passed, time.Minute)
}
