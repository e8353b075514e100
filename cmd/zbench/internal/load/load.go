// Package load measures cells in this process: throughput with the workloads of the root
// module, round trips one after the other, and round trips under an offered load, in
// which messages are due at times that do not depend on the replies.
package load

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/internal/core"
)

// How a sender waits until a message is due.
const (
	Auto  = "auto"  // as the machine allows
	Spin  = "spin"  // reads the clock during the last 100 µs
	Sleep = "sleep" // sleeps in the kernel
)

// others is how many threads work beside senders that spin: one that receives, one that
// answers, and one of libzmq.
const others = 3

// PaceFor returns how so many senders wait on a machine: they spin only if each has a
// processor that nobody else needs. With two processors, senders that spun made p99 up to
// eight times as long.
func PaceFor(processors, senders int) string {
	if processors >= senders+others {
		return Spin
	}
	return Sleep
}

// enough is the share of the offered load below which a run is saturated.
const enough = 0.99

// Saturated reports whether less went through than was offered. stalled is the longest
// time for which the machine stalled while messages were measured: what did not get
// through in it does not count against the load.
func Saturated(r *record.Run, stalled time.Duration) bool {
	return r.Planned > 0 && r.Achieved() < enough-float64(stalled)/float64(r.Planned)
}

// Measure measures a cell once, with a context and sockets of its own. The record lacks
// the Plan, the Env and the Repeat. With an error it has no numbers. If ctx is done, the
// error is its cause. tally, which may be nil, counts while the cell is measured.
func Measure(ctx context.Context, cell record.Cell, method record.Method, tally *Tally) (record.Run, error) {
	r := record.Run{Cell: cell, Method: method, Start: time.Now().UTC()}
	nap := pace.LongNap
	if cell.Verb == record.Lat {
		nap = pace.Nap
	}
	runtime.GC() // the garbage of earlier cells
	before := machine.ReadDisturbances()
	hiccups := pace.StartHiccups(nap)
	var err error
	if cell.Verb == record.Lat {
		err = latency(ctx, &r, tally, hiccups, nil)
	} else if cell.Verb == record.Churn {
		err = churn(ctx, &r, tally)
	} else {
		err = throughput(ctx, &r, tally)
	}
	seen := hiccups.Stop()
	disturbed := machine.ReadDisturbances().Since(before)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
			err = cause
		}
		return record.Run{Cell: cell, Method: method, Start: r.Start}, fmt.Errorf("%s: %w", cell, err)
	}
	if err := Keep(&r, record.Machine, seen); err != nil {
		return r, err
	}
	r.Saturated = Saturated(&r, hiccups.Longest())
	warn(&r, disturbed, time.Duration(seen.Max()))
	if ctx.Err() != nil || !r.Over {
		return r, nil
	}
	return r, Unanswered(&r) // further runs would find nobody
}

// Keep adds a latency to a run, unless nothing was recorded.
func Keep(r *record.Run, name string, h *hdr.Histogram) error {
	l, err := record.NewLatency(h)
	if err != nil || l == nil {
		return err
	}
	if r.Latency == nil {
		r.Latency = map[string]*record.Latency{}
	}
	r.Latency[name] = l
	return nil
}

// warn adds what disturbed a run.
func warn(r *record.Run, d machine.Disturbances, late time.Duration) {
	add := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	if d.Steal > machine.MuchSteal {
		add("the host took %.1f %% of the processor time", 100*d.Steal)
	}
	if d.Throttled > 0 {
		add("the limit of a control group stopped the process for %v", d.Throttled.Round(time.Millisecond))
	}
	if late > machine.TooLate {
		add("a sleeping thread woke up %v late", late.Round(time.Millisecond/10))
	}
	if n := core.Rescues(); n > 0 {
		add("only the watchdog of the binding woke %s; please report it", record.Count(n, "waiting call"))
	}
}
