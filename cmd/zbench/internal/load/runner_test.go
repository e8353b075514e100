package load

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// recorder is a Runner whose cells take no time.
func recorder(n, repeat int) (r *Runner, kept *[]record.Run) {
	kept = new([]record.Run)
	var cells []record.Cell
	for i := range n {
		cells = append(cells, record.Cell{Verb: record.Thr, Size: i, Impl: "go"})
	}
	return &Runner{
		Cells: cells, Repeat: repeat, Total: time.Minute,
		Measure: func(_ context.Context, c record.Cell, m record.Method, _ *Tally) (record.Run, error) {
			return record.Run{Cell: c, Method: m, Messages: 1}, nil
		},
		Keep:     func(r record.Run) error { *kept = append(*kept, r); return nil },
		Progress: func(string) {},
	}, kept
}

// All cells are measured before one is measured again.
func TestInterleaved(t *testing.T) {
	t.Parallel()
	r, kept := recorder(10, 3)
	require.NoError(t, r.Run(t.Context()))
	require.Len(t, *kept, 30)
	for repeat := range 3 {
		seen := map[int]bool{}
		for _, k := range (*kept)[10*repeat : 10*repeat+10] {
			require.Equal(t, repeat+1, k.Repeat)
			seen[k.Cell.Size] = true
		}
		require.Len(t, seen, 10)
	}
}

// Hosts that measure together measure the same cell at the same time; each round has another
// order.
func TestHostsHaveOneOrder(t *testing.T) {
	t.Parallel()
	r, kept := recorder(10, 2)
	require.NoError(t, r.Run(t.Context()))
	other, too := recorder(10, 2)
	require.NoError(t, other.Run(t.Context()))
	var first, second []int
	for i := range 20 {
		first, second = append(first, (*kept)[i].Cell.Size), append(second, (*too)[i].Cell.Size)
	}
	require.Equal(t, first, second)
	require.NotEqual(t, first[:10], first[10:])
}

// The time of all runs is that of the plan, though each takes longer than it should.
func TestTotalDuration(t *testing.T) {
	t.Parallel()
	r, kept := recorder(4, 5)
	r.Total = 2 * time.Second
	measure := r.Measure
	r.Measure = func(ctx context.Context, c record.Cell, m record.Method, tally *Tally) (record.Run, error) {
		time.Sleep(m.Duration + 20*time.Millisecond)
		return measure(ctx, c, m, tally)
	}
	begin := time.Now()
	require.NoError(t, r.Run(t.Context()))
	took := time.Since(begin)
	require.Greater(t, took, time.Second)
	if last := (*kept)[19].Method.Duration; last > 50*time.Millisecond { // else the machine stalled
		require.Less(t, took, 3*time.Second)
	}
}

func TestAFailedRunIsKeptAndTheOthersGoOn(t *testing.T) {
	t.Parallel()
	r, kept := recorder(3, 2)
	measure := r.Measure
	r.Measure = func(ctx context.Context, c record.Cell, m record.Method, tally *Tally) (record.Run, error) {
		switch c.Size {
		case 1:
			return record.Run{}, errors.New("a socket broke")
		case 2:
			return record.Run{}, fmt.Errorf("a cell: %w", errTimeout)
		}
		return measure(ctx, c, m, tally)
	}
	require.NoError(t, r.Run(t.Context()))
	require.Len(t, *kept, 6)
	for _, k := range *kept {
		switch k.Cell.Size {
		case 0:
			require.True(t, k.Valid())
		case 1:
			require.Equal(t, "a socket broke", k.Invalid)
		case 2:
			require.Regexp(t, `^a cell: the run did not end in time; it had .*: the machine is overloaded, `, k.Invalid)
		}
	}
}

// An interruption keeps the run under way as an invalid one. An error of keeping ends all.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	r, kept := recorder(5, 2)
	n := 0
	measure := r.Measure
	r.Measure = func(ctx context.Context, c record.Cell, m record.Method, tally *Tally) (record.Run, error) {
		if n++; n == 3 {
			cancel(enough)
			return record.Run{}, context.Cause(ctx)
		}
		return measure(ctx, c, m, tally)
	}
	require.ErrorIs(t, r.Run(ctx), enough)
	require.Len(t, *kept, 3)
	require.Equal(t, "interrupted", (*kept)[2].Invalid)

	r, _ = recorder(5, 2)
	r.Keep = func(record.Run) error { return enough }
	require.ErrorIs(t, r.Run(t.Context()), enough)
}

// The search finds the limit to within 5 %, wherever it lies, in few steps, also if the
// machine disturbs some of them; and says if there is none up to the last rate.
func TestSearch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Float64Range(0.5, 1000).Draw(t, "from")
		to := from * rapid.Float64Range(1, 4000).Draw(t, "to")
		limit := from * rapid.Float64Range(0.5, 5000).Draw(t, "limit")
		disturbed := rapid.SliceOfN(rapid.Bool(), 100, 100).Draw(t, "disturbed")
		steps, before := 0, false
		best, over, err := Search(from, to, func(rate float64) (Step, error) {
			require.GreaterOrEqual(t, rate, from)
			require.LessOrEqual(t, rate, to)
			steps++
			// Never twice in a row.
			if before = disturbed[steps] && !before; before {
				return Step{Good: false, Disturbed: true}, nil
			}
			return Step{Good: rate <= limit}, nil
		})
		require.NoError(t, err)
		require.LessOrEqual(t, steps, 50)
		switch {
		case limit < from:
			require.Zero(t, best)
		case limit >= to:
			require.InDelta(t, to, best, 0)
			require.Zero(t, over)
		default:
			require.LessOrEqual(t, best, limit)
			require.Greater(t, over, limit)
			require.LessOrEqual(t, over/best, 1.05)
		}
	})
	failure := errors.New("failure")
	_, _, err := Search(1, 10, func(float64) (Step, error) { return Step{}, failure })
	require.ErrorIs(t, err, failure)
}

// A step that was disturbed does not end the search; a result that is not good again is
// not the result.
func TestSearchIsRobust(t *testing.T) {
	t.Parallel()
	first := true
	best, _, err := Search(1000, 8000, func(rate float64) (Step, error) {
		if first {
			first = false
			return Step{Disturbed: true}, nil
		}
		return Step{Good: rate <= 5000}, nil
	})
	require.NoError(t, err)
	require.Greater(t, best, 4000.0)

	measured := map[float64]int{}
	best, _, err = Search(1000, 8000, func(rate float64) (Step, error) {
		measured[rate]++
		return Step{Good: rate < 3000 || rate < 5000 && measured[rate] == 1}, nil
	})
	require.NoError(t, err)
	require.Less(t, best, 3000.0)
	require.GreaterOrEqual(t, best, 2000.0)
}

// The rates between are short, whatever their size.
func TestSearchTriesShortRates(t *testing.T) {
	t.Parallel()
	for _, from := range []float64{0.001, 1, 1000, 1e6} {
		_, _, err := Search(from, 4*from, func(rate float64) (Step, error) {
			require.LessOrEqual(t, len(strings.Trim(strings.ReplaceAll(strconv.FormatFloat(rate, 'f', -1, 64), ".", ""), "0")), 3)
			return Step{Good: rate < 1.3*from}, nil
		})
		require.NoError(t, err)
	}
}
