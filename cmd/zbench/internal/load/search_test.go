package load

import (
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// search searches from 1000 to a million in 20 steps.
func search(measure func(rate float64, n int) Step) Found {
	n := map[float64]int{}
	s := Search{From: 1000, To: 1e6, Steps: 20, Measure: func(rate float64) (Step, error) {
		n[rate]++
		return measure(rate, n[rate]), nil
	}}
	f, _ := s.Run()
	return f
}

// The search finds the limit to within 5 %, wherever it lies, in few steps, also if the
// machine disturbs some of them; and says if there is none up to the last rate.
func TestSearch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Float64Range(0.5, 1000).Draw(t, "from")
		to := from * rapid.Float64Range(1, 4000).Draw(t, "to")
		limit := from * rapid.Float64Range(0.5, 5000).Draw(t, "limit")
		disturbed := rapid.SliceOfN(rapid.Bool(), 101, 101).Draw(t, "disturbed")
		steps, again := 0, map[float64]bool{}
		s := Search{From: from, To: to, Steps: 100, Measure: func(rate float64) (Step, error) {
			require.GreaterOrEqual(t, rate, from)
			require.LessOrEqual(t, rate, to)
			steps++
			if disturbed[steps] && !again[rate] { // never twice
				again[rate] = true
				return Step{Good: false, Disturbed: true}, nil
			}
			return Step{Good: rate <= limit}, nil
		}}
		f, err := s.Run()
		require.NoError(t, err)
		require.LessOrEqual(t, steps, 50)
		switch {
		case limit < from:
			require.Zero(t, f.Best)
		case limit >= to:
			require.InDelta(t, to, f.Best, 0)
			require.Zero(t, f.Over)
			require.True(t, f.Confirmed)
		default:
			require.LessOrEqual(t, f.Best, limit)
			require.Greater(t, f.Over, limit)
			require.LessOrEqual(t, f.Over/f.Best, 1.05)
			require.True(t, f.Confirmed)
			require.True(t, f.Precise)
		}
	})
	failure := errors.New("failure")
	s := Search{From: 1, To: 10, Steps: 20, Measure: func(float64) (Step, error) { return Step{}, failure }}
	_, err := s.Run()
	require.ErrorIs(t, err, failure)
}

// One good attempt of three does not make a rate good, though the machine disturbed the
// others; and one bad attempt that was disturbed does not make it bad.
func TestSearchTakesTheMajority(t *testing.T) {
	t.Parallel()
	f := search(func(rate float64, n int) Step {
		return Step{Good: rate <= 2000 || rate < 5000 && n == 2, Disturbed: true}
	})
	require.Less(t, f.Best, 2100.0)
	require.True(t, f.Confirmed)
	f = search(func(rate float64, n int) Step { return Step{Good: rate <= 5000 && n > 1, Disturbed: true} })
	require.Greater(t, f.Best, 4700.0)
}

// A rate that was good once, by chance, is not the result. A rate that was bad once, by
// chance, does not end the search.
func TestSearchConfirms(t *testing.T) {
	t.Parallel()
	f := search(func(rate float64, n int) Step { return Step{Good: rate < 3000 || rate < 5000 && n == 1} })
	require.Less(t, f.Best, 3000.0)
	require.GreaterOrEqual(t, f.Best, 2000.0)
	f = search(func(rate float64, n int) Step { return Step{Good: rate < 30_000 && !(rate == 2000 && n == 1)} })
	require.Greater(t, f.Best, 20_000.0)
}

// The last rate is confirmed, and so is what was found when few steps are left.
func TestSearchConfirmsTheLastRate(t *testing.T) {
	t.Parallel()
	measured := map[float64]int{}
	f := search(func(rate float64, n int) Step { measured[rate] = n; return Step{Good: true} })
	require.Equal(t, 1e6, f.Best)
	require.True(t, f.Confirmed)
	require.Equal(t, 3, measured[1e6])

	flapping := search(func(rate float64, n int) Step { return Step{Good: rate < 1e6 || n == 1} })
	require.Less(t, flapping.Best, 1e6, "good once")

	s := Search{From: 1, To: 1e9, Steps: 10, Measure: func(float64) (Step, error) { return Step{Good: true}, nil }}
	f, err := s.Run()
	require.NoError(t, err)
	require.True(t, f.Confirmed, "steps are kept for it")
	s = Search{From: 1, To: 1e9, Steps: 1, Measure: s.Measure}
	f, err = s.Run()
	require.NoError(t, err)
	require.Equal(t, 1.0, f.Best)
	require.False(t, f.Confirmed, "it was measured once")
}

// With a limit that is not sharp the repeats contradict each other: the result is seldom
// claimed to be precise, and intervals of several searches overlap.
func TestSearchOfAFuzzyLimit(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const limit, searches = 5000.0, 400
	precise, apart := 0, 0
	var before Found
	for range searches {
		f := search(func(rate float64, _ int) Step {
			return Step{Good: random.Float64() < 1/(1+math.Pow(rate/limit, 6))}
		})
		if f.Precise {
			precise++
		}
		if before.Low > 0 && f.Low > 0 && (f.Low > before.High || before.Low > f.High) {
			apart++
		}
		before = f
	}
	require.Less(t, precise, searches/8)
	require.Less(t, apart, searches/3)
}

// The rates between are short, whatever their size.
func TestSearchTriesShortRates(t *testing.T) {
	t.Parallel()
	for _, from := range []float64{0.001, 1, 1000, 1e6} {
		s := Search{From: from, To: 4 * from, Steps: 50, Measure: func(rate float64) (Step, error) {
			require.LessOrEqual(t, len(strings.Trim(strings.ReplaceAll(strconv.FormatFloat(rate, 'f', -1, 64), ".", ""), "0")), 3)
			return Step{Good: rate < 1.3*from}, nil
		}}
		_, err := s.Run()
		require.NoError(t, err)
	}
}
