package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

func cells(n int) (all []record.Cell) {
	for i := range n {
		all = append(all, record.Cell{Verb: record.Thr, Size: i, Impl: "go"})
	}
	return all
}

// recorder is a Runner whose cells take no time.
func recorder(n, repeat int) (r *Runner, kept *[]record.Run) {
	kept = new([]record.Run)
	return &Runner{
		Cells: cells(n), Repeat: repeat, Seed: 3, Timeout: time.Minute,
		Measure: func(_ context.Context, c record.Cell, m record.Method) (record.Run, record.Env, error) {
			return record.Run{Cell: c, Method: m, Messages: 1}, record.Env{}, nil
		},
		Keep:     func(r record.Run, _ record.Env) error { *kept = append(*kept, r); return nil },
		Progress: func(int, int, string) {},
	}, kept
}

// All cells are measured before one is measured again, in an order of chance that
// the seed decides on.
func TestInterleaved(t *testing.T) {
	t.Parallel()
	order := func(seed uint64) (sizes []int) {
		r, kept := recorder(10, 3)
		r.Seed = seed
		require.NoError(t, r.Run(t.Context()))
		require.Len(t, *kept, 30)
		for repeat := range 3 {
			seen := map[int]bool{}
			for _, k := range (*kept)[10*repeat : 10*repeat+10] {
				require.Equal(t, repeat+1, k.Repeat)
				seen[k.Cell.Size] = true
				sizes = append(sizes, k.Cell.Size)
			}
			require.Len(t, seen, 10)
		}
		return sizes
	}
	require.Equal(t, order(1), order(1))
	require.NotEqual(t, order(1), order(2))
}

func TestAFailedRunIsKeptAndTheOthersGoOn(t *testing.T) {
	t.Parallel()
	r, kept := recorder(3, 2)
	measure := r.Measure
	r.Measure = func(ctx context.Context, c record.Cell, m record.Method) (record.Run, record.Env, error) {
		if c.Size == 1 {
			return record.Run{}, record.Env{}, errors.New("a socket broke")
		}
		return measure(ctx, c, m)
	}
	require.NoError(t, r.Run(t.Context()))
	require.Len(t, *kept, 6)
	for _, k := range *kept {
		if k.Cell.Size == 1 {
			require.Equal(t, "a socket broke", k.Invalid)
		} else {
			require.True(t, k.Valid())
		}
	}
}

func TestAStuckRunIsGivenUp(t *testing.T) {
	t.Parallel()
	r, kept := recorder(2, 1)
	r.Timeout = 10 * time.Millisecond
	measure := r.Measure
	r.Measure = func(ctx context.Context, c record.Cell, m record.Method) (record.Run, record.Env, error) {
		if c.Size == 0 {
			<-ctx.Done()
			return record.Run{}, record.Env{}, fmt.Errorf("a cell: %w", &load.MissingError{Err: context.Cause(ctx), Sent: 70, Came: 68})
		}
		return measure(ctx, c, m)
	}
	require.NoError(t, r.Run(t.Context()))
	require.Len(t, *kept, 2)
	for _, k := range *kept {
		if k.Cell.Size == 0 {
			require.Contains(t, k.Invalid, "not done after 10ms: of 70 messages that were sent 2 had not come; the machine is overloaded, ")
		}
	}
}

// An interruption keeps the run that was under way, as one that does not count.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	r, kept := recorder(5, 2)
	n := 0
	measure := r.Measure
	r.Measure = func(ctx context.Context, c record.Cell, m record.Method) (record.Run, record.Env, error) {
		if n++; n == 3 {
			cancel(enough)
			return record.Run{}, record.Env{}, context.Cause(ctx)
		}
		return measure(ctx, c, m)
	}
	require.ErrorIs(t, r.Run(ctx), enough)
	require.Len(t, *kept, 3)
	require.Equal(t, "interrupted", (*kept)[2].Invalid)
}

func TestAnErrorOfKeepingEndsAll(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	r, _ := recorder(5, 2)
	n := 0
	r.Keep = func(record.Run, record.Env) error { n++; return full }
	require.ErrorIs(t, r.Run(t.Context()), full)
	require.Equal(t, 1, n)
}

// The search finds the limit to within 5 %, wherever it lies, in few steps, and says so
// where there is none up to the last rate.
func TestSearch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Float64Range(0.5, 1000).Draw(t, "from")
		to := from * rapid.Float64Range(1, 4000).Draw(t, "to")
		limit := from * rapid.Float64Range(0.5, 5000).Draw(t, "limit")
		steps := 0
		best, over, err := Search(from, to, func(rate float64) (bool, error) {
			steps++
			require.GreaterOrEqual(t, rate, from)
			require.LessOrEqual(t, rate, to)
			return rate <= limit, nil
		})
		require.NoError(t, err)
		require.LessOrEqual(t, steps, 25)
		switch {
		case limit < from:
			require.Zero(t, best)
			require.InDelta(t, from, over, 0)
		case limit >= to:
			require.InDelta(t, to, best, 0)
			require.Zero(t, over)
		default:
			require.LessOrEqual(t, best, limit)
			require.Greater(t, over, limit)
			require.LessOrEqual(t, over/best, 1.05) // as Search computes it
		}
	})
	failure := errors.New("failure")
	_, _, err := Search(1, 10, func(float64) (bool, error) { return false, failure })
	require.ErrorIs(t, err, failure)
}

// The rates between are short, whatever their size.
func TestSearchTriesShortRates(t *testing.T) {
	t.Parallel()
	for _, from := range []float64{0.001, 1, 1000, 1e6} {
		_, _, err := Search(from, 4*from, func(rate float64) (bool, error) {
			require.LessOrEqual(t, len(strings.Trim(strings.ReplaceAll(strconv.FormatFloat(rate, 'f', -1, 64), ".", ""), "0")), 3)
			return rate < 1.3*from, nil
		})
		require.NoError(t, err)
	}
}

func TestProfiles(t *testing.T) { // profiles are the process's: no other test may run
	dir := t.TempDir()
	p := Profiler{Many: true, Files: map[string]string{}}
	require.False(t, p.Wanted())
	for _, name := range []string{"cpuprofile", "memprofile", "mutexprofile", "blockprofile", "trace"} {
		p.Files[name] = filepath.Join(dir, name+".out")
	}
	require.True(t, p.Wanted())
	cell := record.Cell{Verb: record.Thr, Pattern: "pushpull", Transport: "tcp", Size: 64, Mode: "batch", Impl: "go"}
	require.NoError(t, p.Start(cell)())
	for name := range p.Files {
		info, err := os.Stat(filepath.Join(dir, name+"-thr_pushpull_tcp_64_batch.out"))
		require.NoError(t, err)
		require.Positive(t, info.Size(), name)
	}
	p = Profiler{Files: map[string]string{"cpuprofile": filepath.Join(dir, "no", "such", "directory")}}
	require.ErrorContains(t, p.Start(cell)(), "--cpuprofile: ")
}
