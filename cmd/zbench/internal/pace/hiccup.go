package pace

import (
	"sync/atomic"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// How long the meter's thread sleeps at a time.
const (
	// Nap is for measurements of latency, to which a millisecond matters.
	Nap = time.Millisecond
	// LongNap is for measurements of throughput. Each time the meter wakes up, it takes
	// one of Go's processors from a goroutine that sends or receives, which loses the time
	// of two hand-overs.
	LongNap = 20 * time.Millisecond
)

// Hiccups measures how much longer a thread sleeps than it asks for. The machine and the Go
// runtime delay all other threads as much.
type Hiccups struct {
	stop, stopped chan struct{}
	nap           time.Duration
	seen          *hdr.Histogram

	from, to atomic.Int64 // the span that Longest is about; 0: not known yet
	longest  time.Duration
}

// StartHiccups starts a meter that sleeps for nap at a time.
func StartHiccups(nap time.Duration) *Hiccups {
	h := &Hiccups{stop: make(chan struct{}), stopped: make(chan struct{}), nap: nap, seen: record.NewHistogram()}
	go h.run()
	return h
}

func (h *Hiccups) run() {
	defer close(h.stopped)
	defer Precise()()
	for {
		select {
		case <-h.stop:
			return
		default:
		}
		due := Now() + h.nap
		Sleep(h.nap)
		now := Now()
		record.Observe(h.seen, now-due)
		h.note(due, now)
	}
}

// note keeps how much of a hiccup lies in the span, if none was longer.
func (h *Hiccups) note(due, now time.Duration) {
	from, to := time.Duration(h.from.Load()), time.Duration(h.to.Load())
	if from == 0 {
		return
	}
	if to > 0 {
		now = min(now, to)
	}
	h.longest = max(h.longest, now-max(due, from))
}

// Begin says when what Longest is about begins. It is called before that.
func (h *Hiccups) Begin(at time.Duration) { h.from.Store(int64(at)) }

// End says when that has ended. It is called after it.
func (h *Hiccups) End(at time.Duration) { h.to.Store(int64(at)) }

// Longest returns the longest stall between Begin and End that the sleeping thread saw. It
// is called after Stop.
func (h *Hiccups) Longest() time.Duration { return h.longest }

// Stop ends the meter and returns what it saw. It is called once.
func (h *Hiccups) Stop() *hdr.Histogram {
	close(h.stop)
	<-h.stopped
	return h.seen
}
