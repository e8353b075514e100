package load

import (
	"context"
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Live shows others what is measured while it is. Its methods are for any goroutine. A
// nil Live shows nothing, and costs nothing.
type Live struct {
	mu    sync.Mutex
	cells []*tally
}

// Seen is what was seen of a cell until now, in all of its runs.
type Seen struct {
	Cell            record.Cell
	Began           time.Time // when the first message that counts was sent; zero: none was
	Messages, Bytes int64
	Lost, Doubled   int64
	Latency         *hdr.Histogram // a copy; nil: none was measured
}

// tally counts for one cell.
type tally struct {
	mu        sync.Mutex
	cell      record.Cell
	seen      Seen
	latency   *hdr.Histogram
	inProcess bool // the run under way is counted here
}

type liveKey struct{}

// WithLive returns a context in which measurements show what they do.
func WithLive(ctx context.Context, l *Live) context.Context {
	return context.WithValue(ctx, liveKey{}, l)
}

func liveOf(ctx context.Context) *Live {
	l, _ := ctx.Value(liveKey{}).(*Live)
	return l
}

// begin returns what a run counts with. All memory that it takes is taken now, before
// anything is measured.
func (l *Live) begin(cell record.Cell) *tally {
	if l == nil {
		return nil
	}
	t := l.of(cell)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inProcess = true
	if cell.Verb == record.Lat {
		t.histogram()
	}
	return t
}

// starts notes that from now on messages count.
func (t *tally) starts() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen.Began.IsZero() {
		t.seen.Began = time.Now()
	}
}

func (l *Live) of(cell record.Cell) *tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.cells {
		if t.cell == cell {
			return t
		}
	}
	t := &tally{cell: cell}
	l.cells = append(l.cells, t)
	return t
}

// Ended tells of a run: what another process measured is known only now.
func (l *Live) Ended(r *record.Run) {
	if l == nil {
		return
	}
	t := l.of(r.Cell)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen.Lost += r.Lost
	t.seen.Doubled += r.Doubled
	if t.inProcess {
		t.inProcess = false
		return
	}
	if t.seen.Began.IsZero() {
		t.seen.Began = time.Now().Add(-r.Elapsed)
	}
	t.seen.Messages += r.Messages
	t.seen.Bytes += r.Bytes
	if main := r.Main(); main != nil {
		if h, err := main.Histogram(); err == nil { // else it is damaged, which who reads it hears
			t.histogram().Merge(h)
		}
	}
}

// Seen returns what was seen of all cells that were begun.
func (l *Live) Seen() (all []Seen) {
	l.mu.Lock()
	cells := append([]*tally(nil), l.cells...)
	l.mu.Unlock()
	for _, t := range cells {
		t.mu.Lock()
		s := t.seen
		s.Cell = t.cell
		if t.latency != nil && t.latency.TotalCount() > 0 {
			s.Latency = t.latency.Clone() // one copy, and nothing is reckoned while who receives waits
		}
		t.mu.Unlock()
		all = append(all, s)
	}
	return all
}

// add counts messages.
func (t *tally) add(messages, bytes int64) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.seen.Messages += messages
	t.seen.Bytes += bytes
	t.mu.Unlock()
}

// observe counts a message and how long it took.
func (t *tally) observe(took time.Duration, bytes int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.seen.Messages++
	t.seen.Bytes += int64(bytes)
	record.Observe(t.histogram(), took)
	t.mu.Unlock()
}

// timed notes how long messages took that are counted already.
func (t *tally) timed(took []time.Duration) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range took {
		record.Observe(t.histogram(), d)
	}
}

// histogram is called with mu held.
func (t *tally) histogram() *hdr.Histogram {
	if t.latency == nil {
		t.latency = record.NewHistogram()
	}
	return t.latency
}
