package core

import (
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// The watchdog inspects sockets on which goroutines wait, at intervals. It wakes a waiter
// that the protocol has forgotten. It should never find one: Rescues counts them, and the
// tests assert that there are none.
//
// A waiter counts as forgotten only if many consecutive looks find it and the watcher did
// not run in between. Otherwise the edge that wakes the watcher may simply be on its way,
// or the watcher's thread may be stalled with its processor while the looks continue. If
// the whole machine stalls, that shortens at most one of the intervals.
//
// While nothing happens, the intervals grow, so that an idle process sleeps.
const (
	watchdogInterval    = time.Second
	watchdogNextLook    = 200 * time.Millisecond // if a look found something suspicious
	watchdogLooks       = 10                     // suspicious looks before a rescue
	watchdogMaxInterval = 64 * time.Second
)

var rescues atomic.Uint64

// startWatchdog starts the context's watchdog once.
func (c *Context) startWatchdog() {
	c.watchdog.start.Do(func() { go c.runWatchdog(c.watchdog.quit, c.watchdog.done) })
}

// stopWatchdog ends the watchdog for good.
func (c *Context) stopWatchdog() {
	w := &c.watchdog
	close(w.quit)
	w.start.Do(func() { close(w.done) })
	<-w.done
}

// Rescues returns the number of forgotten waiters that the watchdogs of all contexts of
// the process have woken. Any number but 0 is a defect of the protocol.
func Rescues() uint64 { return rescues.Load() }

func (c *Context) runWatchdog(quit, done chan struct{}) {
	defer close(done)
	interval := watchdogInterval
	timer := time.NewTimer(interval)
	defer timer.Stop()
	var sockets []*Socket
	var last uint64
	for {
		select {
		case <-quit:
			return
		case <-timer.C:
		}
		sockets = c.snapshot(sockets[:0], true)
		var wakeups uint64
		suspicious := false
		for _, s := range sockets {
			w, sus, rescued := s.inspect()
			wakeups += w
			suspicious = suspicious || sus
			if rescued {
				rescues.Add(1)
			}
		}
		clear(sockets)
		switch {
		case suspicious:
			interval = watchdogNextLook
		case wakeups != last:
			interval = watchdogInterval
		default:
			interval = min(2*interval, watchdogMaxInterval)
		}
		last = wakeups
		timer.Reset(interval)
	}
}

// inspect checks one socket for the watchdog.
func (s *Socket) inspect() (wakeups uint64, suspicious, rescued bool) {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	before := h.look
	h.look = look{}
	h.tend()
	if h.state != stateOpen || !h.watched || h.lists[Recv].Len()+h.lists[Send].Len() == 0 {
		return h.wakeups, false, false
	}
	// If a signal is pending, the watcher has not run yet. Reading the events here would
	// make the watcher unnecessary and hide a lost wake-up. If no signal is pending, all
	// commands were processed, and the waiters that they enabled must have been woken.
	// The replacement for the signal of a thread-safe socket is not reliable, because it
	// is not cleared everywhere.
	waits := h.signal == nil && libzmq.Readable(h.fdNum)
	if !waits {
		events := h.events()
		if !h.anyForgotten(events) {
			return h.wakeups, false, false
		}
		if !seesThefts {
			// This look may have consumed a signal that came just now (R2). So a waiter
			// that it finds here is woken, but not counted.
			h.notify(events)
			return h.wakeups, false, false
		}
	}
	h.look = look{times: 1, wakeups: h.wakeups}
	if before.wakeups == h.wakeups {
		h.look.times += before.times
	}
	if h.look.times < watchdogLooks {
		return h.wakeups, true, false
	}
	h.look = look{}
	events := h.events()
	rescued = h.anyForgotten(events) // otherwise no waiter needs the signal
	h.notify(events)
	return h.wakeups, false, rescued
}

// anyForgotten reports whether a goroutine waits for an event in events, and no goroutine
// has been woken for that event and not run yet.
func (s *held) anyForgotten(events int) bool {
	readable := events&libzmq.EventIn != 0 && s.receives() && !s.in.More() || s.in.Ready()
	return readable && s.forgotten(Recv) || s.allows(Send, events) && s.forgotten(Send)
}

func (s *held) forgotten(dir Direction) bool {
	return s.lists[dir].Len() > 0 && s.lists[dir].Woken() == 0
}
