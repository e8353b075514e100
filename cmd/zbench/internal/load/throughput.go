package load

import (
	"context"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/internal/workload"
)

// trips is how many round trips C makes in a run: some 50 ms of them.
const trips = 2000

// Spec returns the workload of a throughput cell, or of C's round trips.
func Spec(c record.Cell) workload.Spec {
	s := workload.Spec{
		Pattern:   workload.Pattern(c.Pattern),
		Transport: workload.Transport(c.Transport),
		Mode:      workload.Mode(c.Mode),
		Strategy:  workload.Strategy(c.Strategy),
		Impl:      workload.Impl(c.Impl),
		Size:      c.Size,
		Senders:   c.Senders,
		Receivers: c.Receivers,
		Window:    c.Window,
		Parts:     c.Parts,
		Pin:       c.Pin,
		Curve:     c.Security == "curve",
	}
	s.InBatchSize, s.OutBatchSize = buffers(c.Options)
	if c.Verb == record.Lat {
		s.Mode, s.Messages, s.Latency = workload.Blocking, trips, true
	}
	return s
}

// runs returns how many messages a run of the workload has and how many runs make
// up a count, 0 for no limit. The runs are equal, so that there may be a few
// messages more than asked for.
func runs(s workload.Spec, count int) (messages, n int) {
	most := s.Sent()
	if count == 0 {
		return most, 0
	}
	n = (count + most - 1) / most
	return (count + n - 1) / n, n
}

// throughput measures with package workload: runs of a fixed number of messages,
// one after the other on the same sockets.
func throughput(ctx context.Context, r *record.Run) (err error) {
	spec := Spec(r.Cell)
	if spec.Payload, err = ReadPayload(r.Method.Payload); err != nil {
		return err
	}
	limit := 0
	spec.Messages, limit = runs(spec, r.Method.Count)
	w, err := workload.Open(ctx, spec)
	if err != nil {
		return err
	}
	defer func() {
		if e := w.Close(); err == nil {
			err = e
		}
	}()
	// One at least: it grows what is kept.
	if _, err := repeat(w, r.Method.Warmup, 0, nil, nil); err != nil {
		return err
	}
	times := record.NewHistogram()
	live := liveOf(ctx).begin(r.Cell)
	live.starts()
	all, err := repeat(w, r.Method.Duration, limit, times, live)
	if err != nil {
		return err
	}
	if err := addLatency(r, record.RTT, times); err != nil {
		return err
	}
	sum := workload.Combine(all)
	r.Messages, r.Bytes, r.Elapsed = int64(sum.Messages), sum.Bytes, sum.Elapsed
	r.CPU, r.Allocs, r.AllocBytes, r.GCs, r.Crossings = sum.CPU, sum.Allocs, sum.AllocBytes, sum.GCs, sum.Crossings
	r.Stalls, r.HitRate = workload.Stalls(all), sum.HitRate()
	return nil
}

// repeat runs the workload for a while and at least once, or n times, and notes
// how long round trips took. Who looks on is told after each.
func repeat(w *workload.Workload, duration time.Duration, n int, times *hdr.Histogram, live *tally) ([]workload.Result, error) {
	var all []workload.Result
	var latencies []time.Duration
	for begin := time.Now(); len(all) < max(n, 1) || n == 0 && time.Since(begin) < duration; {
		result, err := w.Run()
		if err != nil {
			return nil, err
		}
		all = append(all, result)
		live.add(int64(result.Messages), result.Bytes)
		if times != nil {
			latencies = w.Latencies(latencies[:0])
			for _, d := range latencies {
				record.Observe(times, d)
			}
			live.timed(latencies)
		}
	}
	return all, nil
}
