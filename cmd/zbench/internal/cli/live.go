package cli

import (
	"sync"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// live says what happens while it does: the rate and the 99th percentile of about the last
// second.
type live struct {
	mu    sync.Mutex
	tally *load.Tally // nil: nothing is measured
	since time.Time   // of the last lap
	text  string
}

// follow sets what is measured now.
func (l *live) follow(t *load.Tally) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tally, l.since, l.text = t, time.Time{}, ""
}

const lap = time.Second - barInterval/2

// show returns the text, or nothing until messages have come.
func (l *live) show() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	took := now.Sub(l.since)
	if l.tally == nil || !l.since.IsZero() && took < lap {
		return l.text
	}
	if l.since.IsZero() && l.tally.Count() == 0 {
		return ""
	}
	n, p99 := l.tally.Lap()
	if !l.since.IsZero() { // the first lap began at an unknown time
		l.text = record.Number(float64(n)/took.Seconds()) + " msg/s"
		if p99 > 0 {
			l.text += ", p99 " + record.Duration(float64(p99))
		}
	}
	l.since = now
	return l.text
}
