package load

import (
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Tally counts what is measured while it is, for observers. Its methods may be called by
// any goroutine. A nil Tally counts nothing.
type Tally struct {
	mu      sync.Mutex
	state   State
	latency *hdr.Histogram
	recent  *hdr.Histogram // since the last Lap, in microseconds
	lap     int64          // messages at the last Lap
}

// State is a Tally at one moment.
type State struct {
	Cell                        record.Cell
	Messages, Bytes             int64
	Lost, Duplicated, Reordered int64
	Latency                     *hdr.Histogram // a copy; nil: none is measured
}

// NewTally returns a tally of a cell. Its memory is allocated before anything is measured.
func NewTally(cell record.Cell) *Tally {
	t := &Tally{state: State{Cell: cell}}
	if cell.Has("p50-ns", "") {
		t.latency, t.recent = record.NewHistogram(), newBrief()
	}
	return t
}

// Add counts messages.
func (t *Tally) Add(messages, bytes int64) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.state.Messages += messages
	t.state.Bytes += bytes
	t.mu.Unlock()
}

// observe counts a message and notes its latency.
func (t *Tally) observe(took time.Duration, bytes int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.state.Messages++
	t.state.Bytes += int64(bytes)
	record.Observe(t.latency, took)
	observeBrief(t.recent, took)
	t.mu.Unlock()
}

// Lap returns how many messages were counted since the last Lap, and the 99th percentile of
// their latencies; 0: none is measured. One goroutine calls it.
func (t *Tally) Lap() (messages int64, p99 time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	messages, t.lap = t.state.Messages-t.lap, t.state.Messages
	if t.recent != nil {
		p99 = time.Duration(record.ValueAt(t.recent, 99)) * time.Microsecond
		t.recent.Reset()
	}
	return messages, p99
}

// Integrity says how many messages are lost, duplicated and reordered until now.
func (t *Tally) Integrity(lost, duplicated, reordered int64) {
	t.mu.Lock()
	t.state.Lost, t.state.Duplicated, t.state.Reordered = lost, duplicated, reordered
	t.mu.Unlock()
}

// State returns the present state.
func (t *Tally) State() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.state
	if t.latency != nil && t.latency.TotalCount() > 0 {
		s.Latency = t.latency.Clone()
	}
	return s
}

// Count returns the number of messages.
func (t *Tally) Count() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state.Messages
}
