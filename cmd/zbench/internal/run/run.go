// Package run measures the cells of a plan: each once, then all again, in an order
// of chance, so that whatever else the machine does falls on all alike.
package run

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Measure measures a cell once. The Env is that of the process which did.
type Measure func(ctx context.Context, cell record.Cell, method record.Method) (record.Run, record.Env, error)

// Runner measures cells.
type Runner struct {
	Cells   []record.Cell
	Method  record.Method
	Repeat  int
	Seed    uint64
	Timeout time.Duration // of a run

	Measure  Measure
	Keep     func(record.Run, record.Env) error    // called with each run when it has ended
	Progress func(done, all int, what string)      // called before each run, and when all is done
	Profile  func(record.Cell) (stop func() error) // if any, called before the first run of each cell
}

// errTimeout is the cause with which a run that is stuck ends.
var errTimeout = errors.New("the run did not end in time")

// Run measures all cells, Repeat times. A run that fails is kept as invalid, and
// the others go on. An error of Keep, and the end of ctx, end all; the run that was
// under way is then kept as interrupted.
func (r *Runner) Run(ctx context.Context) error {
	random := rand.New(rand.NewPCG(r.Seed, 2))
	all := r.Repeat * len(r.Cells)
	for repeat := range r.Repeat {
		for i, at := range random.Perm(len(r.Cells)) {
			cell := r.Cells[at]
			r.Progress(repeat*len(r.Cells)+i, all, fmt.Sprintf("%s · run %d/%d", cell, repeat+1, r.Repeat))
			if err := r.one(ctx, cell, repeat+1); err != nil {
				return err
			}
		}
	}
	r.Progress(all, all, "done")
	return nil
}

func (r *Runner) one(ctx context.Context, cell record.Cell, repeat int) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	limited, cancel := context.WithTimeoutCause(ctx, r.Timeout, errTimeout)
	defer cancel()
	stop := func() error { return nil }
	if r.Profile != nil && repeat == 1 && cell.Impl == "go" && cell.Engine == "" {
		stop = r.Profile(cell)
	}
	result, env, err := r.Measure(limited, cell, r.Method)
	if e := stop(); err == nil {
		err = e
	}
	cause := context.Cause(ctx)
	switch {
	case cause != nil:
		result.Invalid = "interrupted"
	case errors.Is(err, errTimeout):
		missing := ""
		if m := (*load.MissingError)(nil); errors.As(err, &m) {
			missing = fmt.Sprintf("of %d messages that were sent %d had not come; ", m.Sent, m.Sent-m.Came)
		}
		result.Invalid = fmt.Sprintf("not done after %v: %sthe machine is overloaded, or messages were lost; use a longer --timeout", r.Timeout, missing)
	case err != nil:
		result.Invalid = err.Error()
	}
	result.Cell, result.Method, result.Repeat = cell, r.Method, repeat
	if err := r.Keep(result, env); err != nil {
		return err
	}
	return cause
}
