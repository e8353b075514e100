package quick

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/go-zmq/go-zmq/internal/workload"
)

// Cell is one workload and what its repeats measured.
type Cell struct {
	Spec    workload.Spec
	Samples []workload.Result // one a repeat
	Stalls  int               // runs that took 100 ms more than the median run
}

// Median returns the median of a figure over the repeats.
func (c Cell) Median(of func(workload.Result) float64) float64 {
	values := make([]float64, len(c.Samples))
	for i, s := range c.Samples {
		values[i] = of(s)
	}
	slices.Sort(values)
	half := len(values) / 2
	if len(values)%2 == 1 {
		return values[half]
	}
	return (values[half-1] + values[half]) / 2
}

// NsPerMessage returns the median of the repeats.
func (c Cell) NsPerMessage() float64 { return c.Median(workload.Result.NsPerMessage) }

// Rate returns messages a second. It follows from NsPerMessage, so that the two
// agree: the median of an even number of rates would not.
func (c Cell) Rate() float64 { return 1e9 / c.NsPerMessage() }

// GB returns 10^9 bytes of payload a second.
func (c Cell) GB() float64 { return float64(c.Spec.Size) / c.NsPerMessage() }

// Spread returns how far the repeats lie apart, as a part of their median.
func (c Cell) Spread() float64 {
	ns := make([]float64, len(c.Samples))
	for i, s := range c.Samples {
		ns[i] = s.NsPerMessage()
	}
	return (slices.Max(ns) - slices.Min(ns)) / c.NsPerMessage()
}

const (
	// A repeat of a cell goes on for this long, and this many runs, so that two that
	// stand still do not make the median.
	minTime = 100 * time.Millisecond
	minRuns = 5
	// patience is for one repeat of one cell. It only has to be longer than a slow
	// machine needs.
	patience = time.Minute
)

// Run measures the plan: all cells once, then all again, so that whatever else the
// machine does falls on all alike. progress is called before each measurement with
// what has been done, out of how many.
func Run(ctx context.Context, p Plan, progress func(done, all int, what string)) ([]Cell, error) {
	cells := p.cells()
	for repeat := range p.Repeat {
		for i := range cells {
			c := &cells[i]
			progress(repeat*len(cells)+i, p.Repeat*len(cells), fmt.Sprintf("%d B, %s, %s", c.Spec.Size, c.Spec.Mode, c.Spec.Impl))
			if err := c.measure(ctx); err != nil {
				return nil, err
			}
		}
	}
	progress(p.Repeat*len(cells), p.Repeat*len(cells), "done")
	return cells, nil
}

// measure adds a sample, from a context and sockets of its own.
func (c *Cell) measure(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience,
		fmt.Errorf("not done after %v: the machine is overloaded, or messages were lost; use fewer --messages", patience))
	defer cancel()
	w, err := workload.Open(ctx, c.Spec)
	if err != nil {
		return err
	}
	defer func() {
		if e := w.Close(); err == nil {
			err = e
		}
	}()
	if _, err := w.Run(); err != nil { // warms up: not counted
		return err
	}
	runtime.GC()
	var runs []workload.Result
	for begin := time.Now(); len(runs) < minRuns || time.Since(begin) < minTime; {
		r, err := w.Run()
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	c.Samples = append(c.Samples, workload.Combine(runs))
	c.Stalls += workload.Stalls(runs)
	return nil
}
