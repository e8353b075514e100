package pace

import (
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// nap is how long the meter's thread sleeps at a time.
const nap = time.Millisecond

// Hiccups measures how much longer than it asks a thread sleeps, which is what the
// machine and the Go runtime do to everything else that runs meanwhile.
type Hiccups struct {
	stop, stopped chan struct{}
	seen          *hdr.Histogram
}

// StartHiccups starts the meter.
func StartHiccups() *Hiccups {
	h := &Hiccups{make(chan struct{}), make(chan struct{}), record.NewHistogram()}
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
		Sleep(nap)
		record.Observe(h.seen, Now()-before-nap)
	}
}

// Stop ends the meter and returns what it saw. It is called once.
func (h *Hiccups) Stop() *hdr.Histogram {
	close(h.stop)
	<-h.stopped
	return h.seen
}
