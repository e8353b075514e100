package role

import (
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Tally is what a role has done until now, for those who look on: it may be used by
// any number of goroutines. The role writes to it once a batch where it can.
type Tally struct {
	mu      sync.Mutex
	state   State
	latency *hdr.Histogram
}

// State is a Tally at one moment.
type State struct {
	Messages, Bytes          int64
	Lost, Doubled, Reordered int64
	Latency                  *hdr.Histogram // a copy; nil: none is measured
}

// add counts messages.
func (t *Tally) add(messages, bytes int64) {
	t.mu.Lock()
	t.state.Messages += messages
	t.state.Bytes += bytes
	t.mu.Unlock()
}

// integrity says what is wrong until now.
func (t *Tally) integrity(lost, doubled, reordered int64) {
	t.mu.Lock()
	t.state.Lost, t.state.Doubled, t.state.Reordered = lost, doubled, reordered
	t.mu.Unlock()
}

// observe notes a latency, which is the role's result.
func (t *Tally) observe(d time.Duration) {
	t.mu.Lock()
	if t.latency == nil {
		t.latency = record.NewHistogram()
	}
	record.Observe(t.latency, d)
	t.mu.Unlock()
}

// State returns what there is now.
func (t *Tally) State() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.state
	if t.latency != nil {
		s.Latency = t.latency.Clone()
	}
	return s
}

// Count returns the number of messages, without what else there is.
func (t *Tally) Count() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state.Messages
}

// keep puts the latency into the result, under a name.
func (t *Tally) keep(res *Result, name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return keep(res, name, t.latency)
}

func keep(res *Result, name string, h *hdr.Histogram) error {
	l, err := record.NewLatency(h)
	if err != nil || l == nil {
		return err
	}
	if res.Latency == nil {
		res.Latency = map[string]*record.Latency{}
	}
	res.Latency[name] = l
	return nil
}
