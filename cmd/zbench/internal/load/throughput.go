package load

import (
	"context"
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/bench/workload"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Spec returns the workload of a throughput cell.
func Spec(c record.Cell) workload.Spec {
	return workload.Spec{
		Pattern:   workload.Pattern(c.Pattern),
		Transport: workload.Transport(c.Transport),
		Mode:      workload.Mode(c.Mode),
		Impl:      workload.Impl(c.Impl),
		Size:      c.Size,
		Senders:   c.Senders,
		Receivers: c.Receivers,
		Curve:     c.Security == "curve",
	}
}

// throughput measures with package workload: runs of a fixed number of messages, one after
// the other on the same sockets.
func throughput(ctx context.Context, r *record.Run, tally *Tally) (err error) {
	w, err := workload.Open(ctx, Spec(r.Cell))
	if err != nil {
		return err
	}
	defer func() {
		if e := w.Close(); err == nil {
			err = e
		}
	}()
	if _, err := repeat(w, r.Method.Warmup, nil); err != nil {
		return err
	}
	all, err := repeat(w, r.Method.Duration, tally)
	if err != nil {
		return err
	}
	sum := workload.Combine(all)
	r.Messages, r.Bytes, r.Elapsed = int64(sum.Messages), sum.Bytes, sum.Elapsed
	r.CPU, r.Allocs, r.AllocBytes, r.GCs, r.Crossings = sum.CPU, sum.Allocs, sum.AllocBytes, sum.GCs, sum.Crossings
	if n := workload.Stalls(all); n > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("throughput stalled for 100 ms or more: %s", record.Count(n, "time")))
	}
	return nil
}

// repeat runs the workload for a while and at least once.
func repeat(w *workload.Workload, duration time.Duration, tally *Tally) ([]workload.Result, error) {
	var all []workload.Result
	for begin := time.Now(); len(all) == 0 || time.Since(begin) < duration; {
		result, err := w.Run()
		if err != nil {
			return nil, err
		}
		all = append(all, result)
		tally.Add(int64(result.Messages), result.Bytes)
	}
	return all, nil
}
