package load

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// goneError is the cause with which a measurement ends whose peer is gone, or silent since.
type goneError struct {
	at  time.Duration // on pace's clock
	how string        // "gone", "silent"
}

func (e goneError) Error() string { return "the peer is " + e.how }

// GoneAt says when a peer left, from the start of what was measured.
func GoneAt(how string, at time.Duration) string {
	return fmt.Sprintf("peer %s at %.1f s", how, max(at, 0).Seconds())
}

// Unanswered is the error of a run whose peer left or fell silent; nil if none did.
func Unanswered(r *record.Run) error {
	if r.Gone == "" {
		return nil
	}
	lost := ""
	if r.Lost > 0 {
		lost = fmt.Sprintf("; %.2g %% of %s not answered", 100*float64(r.Lost)/float64(r.Messages+r.Lost), record.Count(r.Messages+r.Lost, "message"))
	}
	return record.Exitf(record.Unfit, "%s%s", r.Gone, lost)
}

// vigil watches over the peer of clients that is elsewhere.
type vigil struct {
	cancel    context.CancelCauseFunc
	alone     bool // a client that lost a reply cannot go on
	measuring atomic.Bool

	mu         sync.Mutex
	left, back time.Duration // the first time
}

// watch returns the watch of a client.
func (v *vigil) watch(c *client) Watch {
	return Watch{
		Left: func(at time.Duration, _ int) {
			c.broken.Store(true)
			v.note(&v.left, at)
			if v.alone && v.measuring.Load() {
				v.cancel(goneError{at, "gone"})
			}
		},
		Joined: func(at time.Duration, _ int) {
			if c.broken.Load() {
				v.note(&v.back, at)
			}
		},
		Gone: func(at time.Duration) { v.cancel(goneError{at, "gone"}) },
	}
}

// note keeps the first time.
func (v *vigil) note(to *time.Duration, at time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if *to == 0 {
		*to = at
	}
}

// tale says what became of the peer, from the start of the window on.
func (v *vigil) tale(start time.Duration, end goneError) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case end.how != "":
		return GoneAt(end.how, end.at-start)
	case v.back > 0:
		return GoneAt("gone", v.left-start) + fmt.Sprintf(", back at %.1f s", (v.back-start).Seconds())
	}
	return GoneAt("gone", v.left-start)
}

// hear ends a measurement whose window is over and whose peer does not answer any more, until
// stop is called. Within the window, silence is latency.
func (v *vigil) hear(e *ends, w *window) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticks := time.NewTicker(answer / 30)
		defer ticks.Stop()
		came, since := int64(-1), time.Duration(0)
		for {
			select {
			case <-quit:
				return
			case <-ticks.C:
			}
			n := int64(0)
			for _, c := range e.clients {
				n += c.came.Load()
			}
			now := pace.Now()
			if n != came {
				came, since = n, now
			}
			patient := patience // in the warm-up
			select {
			case <-w.open:
				patient = max(answer, w.start+w.length-since)
			default:
			}
			if now-since > patient {
				v.cancel(goneError{since, "silent"})
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}
