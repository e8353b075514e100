package workload

import (
	"slices"
	"time"
)

// Result holds the measurements of one run, or the sums of several.
type Result struct {
	Messages   int           // received messages, or completed round trips
	Bytes      int64         // payload bytes, without routing ids
	Elapsed    time.Duration // from the start of the clock to the last message
	CPU        time.Duration // CPU time of all threads of the process; 0 if unknown
	Allocs     uint64        // objects allocated on the Go heap
	AllocBytes uint64        // bytes allocated on the Go heap
	GCs        uint32        // completed garbage collections
	Crossings  int64         // calls from Go into C
	PoolGets   int64         // messages taken from a pool; 0 without a pool
	PoolHits   int64         // messages for which the pool had free memory
}

// Add adds another run of the same workload to r.
func (r *Result) Add(o Result) {
	r.Messages += o.Messages
	r.Bytes += o.Bytes
	r.Elapsed += o.Elapsed
	r.CPU += o.CPU
	r.Allocs += o.Allocs
	r.AllocBytes += o.AllocBytes
	r.GCs += o.GCs
	r.Crossings += o.Crossings
	r.PoolGets += o.PoolGets
	r.PoolHits += o.PoolHits
}

// Combine adds up runs of the same workload, except that Elapsed is the median time
// multiplied by the number of runs. A TCP connection over loopback sometimes stalls for
// 200 ms, because its receive window has closed and the kernel's timer must check it
// again. This can happen to any sender, and would influence a mean more than the messages
// do.
func Combine(runs []Result) (sum Result) {
	for _, r := range runs {
		sum.Add(r)
	}
	sum.Elapsed = median(runs) * time.Duration(len(runs))
	return sum
}

// Stalls returns the number of runs that took over 100 ms longer than the median run. At
// least three runs are needed: one run is its own median, and the median of two lies
// between them.
func Stalls(runs []Result) (n int) {
	limit := median(runs) + 100*time.Millisecond
	for _, r := range runs {
		if r.Elapsed > limit {
			n++
		}
	}
	return n
}

func median(runs []Result) time.Duration {
	if len(runs) == 0 {
		return 0
	}
	elapsed := make([]time.Duration, len(runs))
	for i, r := range runs {
		elapsed[i] = r.Elapsed
	}
	slices.Sort(elapsed)
	half := len(elapsed) / 2
	if len(elapsed)%2 == 1 {
		return elapsed[half]
	}
	return (elapsed[half-1] + elapsed[half]) / 2
}

// NsPerMessage returns the elapsed nanoseconds per message.
func (r Result) NsPerMessage() float64 { return r.per(float64(r.Elapsed)) }

// CPUPerMessage returns the nanoseconds of CPU time per message, in all threads.
func (r Result) CPUPerMessage() float64 { return r.per(float64(r.CPU)) }

// AllocsPerMessage returns the number of Go heap objects allocated per message.
func (r Result) AllocsPerMessage() float64 { return r.per(float64(r.Allocs)) }

// CrossingsPerMessage returns the number of calls into C per message, at both ends
// together.
func (r Result) CrossingsPerMessage() float64 { return r.per(float64(r.Crossings)) }

// HitRate returns the fraction of the pool's messages for which it had free memory. It
// returns 0 if there was no pool.
func (r Result) HitRate() float64 {
	if r.PoolGets == 0 {
		return 0
	}
	return float64(r.PoolHits) / float64(r.PoolGets)
}

// MessagesPerSecond returns the number of messages received per second.
func (r Result) MessagesPerSecond() float64 { return perSecond(float64(r.Messages), r.Elapsed) }

// GBPerSecond returns the payload received per second, in units of 10^9 bytes.
func (r Result) GBPerSecond() float64 { return perSecond(float64(r.Bytes), r.Elapsed) / 1e9 }

func (r Result) per(total float64) float64 {
	if r.Messages == 0 {
		return 0
	}
	return total / float64(r.Messages)
}

func perSecond(amount float64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return amount / d.Seconds()
}
