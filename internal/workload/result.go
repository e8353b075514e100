package workload

import (
	"slices"
	"time"
)

// Result is what one run, or several added up, measured.
type Result struct {
	Messages   int           // received; for a round trip, those that came back
	Bytes      int64         // of payload, without routing ids
	Elapsed    time.Duration // from the opening of the gate to the last message
	CPU        time.Duration // of all threads of the process meanwhile; 0 where the system does not say
	Allocs     uint64        // objects on Go's heap
	AllocBytes uint64        // their bytes
	GCs        uint32        // garbage collections that ended
	Crossings  int64         // calls from Go into C
	PoolGets   int64         // messages that a pool lent; 0 without a pool
	PoolHits   int64         // of these, with memory that was there
}

// Add adds another run of the same workload.
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

// Combine adds up runs of the same workload, except that its Elapsed is that of
// the median run, times their number. A TCP connection over loopback now and then
// stands still for 200 ms: its receive window has closed, and the kernel's timer
// has to look again. That happens to whoever sends, and a mean would tell of it
// more than of the messages.
func Combine(runs []Result) (sum Result) {
	for _, r := range runs {
		sum.Add(r)
	}
	sum.Elapsed = median(runs) * time.Duration(len(runs))
	return sum
}

// Stalls returns how many of the runs took 100 ms more than the median run. It takes
// three runs to tell: one is its own median, and that of two lies between them.
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

// NsPerMessage returns the nanoseconds that a message took.
func (r Result) NsPerMessage() float64 { return r.per(float64(r.Elapsed)) }

// CPUPerMessage returns the nanoseconds of processor time that a message took, in
// all threads.
func (r Result) CPUPerMessage() float64 { return r.per(float64(r.CPU)) }

// AllocsPerMessage returns the number of objects that a message cost Go's heap.
func (r Result) AllocsPerMessage() float64 { return r.per(float64(r.Allocs)) }

// CrossingsPerMessage returns the number of calls from Go into C that a message
// cost, both ends together.
func (r Result) CrossingsPerMessage() float64 { return r.per(float64(r.Crossings)) }

// HitRate returns the share of the pool's messages that found memory there, 0 when
// there was no pool.
func (r Result) HitRate() float64 {
	if r.PoolGets == 0 {
		return 0
	}
	return float64(r.PoolHits) / float64(r.PoolGets)
}

// MessagesPerSecond returns the rate at which messages arrived.
func (r Result) MessagesPerSecond() float64 { return perSecond(float64(r.Messages), r.Elapsed) }

// GBPerSecond returns the rate at which payload arrived, in 10^9 bytes a second.
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
