package load

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
