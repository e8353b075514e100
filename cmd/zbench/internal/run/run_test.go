package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
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

// The search finds the limit to within 5 %, wherever it lies, in few steps.
func TestSearch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Float64Range(500, 5e6).Draw(t, "limit")
		steps := 0
		best, ok, err := Search(1000, 4e6, func(rate float64) (bool, error) {
			steps++
			require.LessOrEqual(t, rate, 4e6)
			return rate <= limit, nil
		})
		require.NoError(t, err)
		require.LessOrEqual(t, steps, 25)
		if limit < 1000 {
			require.False(t, ok)
			return
		}
		require.True(t, ok)
		require.LessOrEqual(t, best, limit)
		if limit < 2.04e6 { // above, the next doubling is past the end
			require.GreaterOrEqual(t, best*1.06, math.Min(limit, 4e6))
		}
	})
	failure := errors.New("failure")
	_, _, err := Search(1, 10, func(float64) (bool, error) { return false, failure })
	require.ErrorIs(t, err, failure)
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
