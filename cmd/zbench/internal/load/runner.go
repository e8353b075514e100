package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

const (
	// PerRun is the approximate overhead of a run, besides its warm-up and its measured part:
	// sockets, connections, garbage collection.
	PerRun = 150 * time.Millisecond
	// Shortest is the shortest measured part of a run. A shorter one measures the start.
	Shortest = 500 * time.Millisecond
)

// Runner measures cells: each once, then all again, in random order, so that background
// load affects all cells equally.
type Runner struct {
	Cells  []record.Cell
	Repeat int
	Total  time.Duration // that all runs take together
	Method record.Method // without its Duration, which follows from Total

	Measure  Measured
	Tally    func(record.Cell) *Tally // may be nil
	Keep     func(record.Run) error   // called with each run
	Progress func(what string)        // called before each run
}

// Measured is the type of Measure.
type Measured func(context.Context, record.Cell, record.Method, *Tally) (record.Run, error)

// errTimeout is the cancellation cause of a hung run.
var errTimeout = errors.New("the run did not end in time")

// Run measures all cells. A run that fails is kept as invalid, and the others go on. A peer
// that does not answer or does not fit ends all, and so do an error of Keep and the end of
// ctx; the run under way is then kept as interrupted.
func (r *Runner) Run(ctx context.Context) error {
	end := time.Now().Add(r.Total)
	all := r.Repeat * len(r.Cells)
	extra := PerRun
	for i := range all {
		repeat := i/len(r.Cells) + 1
		cell := r.order(i)
		// Later runs absorb earlier overruns.
		method, left := r.Method, time.Until(end)
		method.Duration = max(left/time.Duration(all-i)-method.Warmup-extra, min(Shortest, r.Total/time.Duration(2*all)))
		r.Progress(fmt.Sprintf("%s, repeat %d of %d", cell, repeat, r.Repeat))
		begin := time.Now()
		if err := r.one(ctx, cell, method, repeat); err != nil {
			return err
		}
		took := time.Since(begin) - method.Warmup - method.Duration
		extra += (max(took, 0) - extra) / time.Duration(i+2)
	}
	return nil
}

// order returns the cell of run i. Each round of runs has an order of its own, which is the
// same on all hosts that measure together.
func (r *Runner) order(i int) record.Cell {
	if at := i % len(r.Cells); at == 0 {
		shuffled := make([]record.Cell, len(r.Cells))
		for to, from := range rand.New(rand.NewPCG(uint64(i), 0)).Perm(len(r.Cells)) {
			shuffled[to] = r.Cells[from]
		}
		r.Cells = shuffled
	}
	return r.Cells[i%len(r.Cells)]
}

func (r *Runner) one(ctx context.Context, cell record.Cell, method record.Method, repeat int) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	timeout := 3*(method.Warmup+method.Duration) + 2*patience
	limited, cancel := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer cancel()
	var tally *Tally
	if r.Tally != nil {
		tally = r.Tally(cell)
	}
	result, err := r.Measure(limited, cell, method, tally)
	cause := context.Cause(ctx)
	switch {
	case cause != nil:
		result.Invalid = record.Interrupted
	case err != nil && result.Gone != "":
		cause = err // what was measured is kept
	case record.ExitCode(err) == record.Unfit, Mismatched(err): // the other runs would wait as long
		return err
	case errors.Is(err, errTimeout):
		result.Invalid = fmt.Sprintf("%v; it had %v: the machine is overloaded, or messages were lost", err, timeout.Round(time.Second/10))
	case err != nil:
		result.Invalid = err.Error()
	}
	result.Cell, result.Method, result.Repeat = cell, method, repeat
	if err := r.Keep(result); err != nil {
		return err
	}
	return cause
}
