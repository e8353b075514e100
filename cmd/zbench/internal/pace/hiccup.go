package pace

import (
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// How long the meter's thread sleeps at a time.
const (
	// Nap is for measurements of latency, to which a millisecond matters.
	Nap = time.Millisecond
	// LongNap is for those of throughput. Each time it wakes up the meter takes one of
	// Go's processors from a goroutine that sends or receives, and the hand-over there
	// and back is lost to it.
	LongNap = 20 * time.Millisecond
)

// Hiccups measures how much longer than it asks a thread sleeps, which is what the
// machine and the Go runtime do to everything else that runs meanwhile.
type Hiccups struct {
	stop, stopped chan struct{}
	nap           time.Duration
	seen          *hdr.Histogram
}

// StartHiccups starts the meter.
func StartHiccups() *Hiccups { return StartHiccupsEvery(Nap) }

// StartHiccupsEvery starts a meter that sleeps for nap at a time.
func StartHiccupsEvery(nap time.Duration) *Hiccups {
	h := &Hiccups{make(chan struct{}), make(chan struct{}), nap, record.NewHistogram()}
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
		before := Now()
		Sleep(h.nap)
		record.Observe(h.seen, Now()-before-h.nap)
	}
}

// Stop ends the meter and returns what it saw. It is called once.
func (h *Hiccups) Stop() *hdr.Histogram {
	close(h.stop)
	<-h.stopped
	return h.seen
}
