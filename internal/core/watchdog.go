package core

import (
	"sync/atomic"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/watch"
)

// The watchdog inspects sockets on which goroutines wait, at intervals. It wakes a waiter
// that the protocol has forgotten. It should never find one: Rescues counts them, and the
// tests assert that there are none.

var rescues atomic.Uint64

// startWatchdog starts the context's watchdog once.
func (c *Context) startWatchdog() { c.watchdog.Start(c.inspect) }

// Rescues returns the number of forgotten waiters that the watchdogs of all contexts of
// the process have woken. Any number but 0 is a defect of the protocol.
func Rescues() uint64 { return rescues.Load() }

// inspect checks the sockets of the context for the watchdog. It returns how often their watchers
// ran, and whether one is suspicious.
func (c *Context) inspect() (wakeups uint64, suspicious bool) {
	for _, s := range c.snapshot(nil, true) {
		w, sus, rescued := s.inspect()
		wakeups += w
		suspicious = suspicious || sus
		if rescued {
			rescues.Add(1)
		}
	}
	return wakeups, suspicious
}

// inspect checks one socket for the watchdog.
func (s *Socket) inspect() (wakeups uint64, suspicious, rescued bool) {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	before := h.suspicion
	h.suspicion = watch.Suspicion{}
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
	certain := before.Again(h.wakeups)
	h.suspicion = before
	if !certain {
		return h.wakeups, true, false
	}
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
