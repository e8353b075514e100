package core

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// The watchdog looks now and then at sockets on which somebody waits, and
// wakes a waiter that the protocol forgot. It should never find one: Rescues
// counts them, and the tests assert that there were none. Something suspicious
// must stand for many looks in a row, without the watcher running in between, to
// count: the edge that will wake the watcher may simply be on its way, or its thread
// may stand still with one of the machine's processors while the looks go on. A
// machine that stands still altogether shortens no more than one of the intervals.
//
// While nothing happens the looks become rarer, so that an idle process sleeps.
const (
	watchdogInterval    = time.Second
	watchdogNextLook    = 200 * time.Millisecond // when something is suspicious
	watchdogLooks       = 10                     // that find the same, before it counts
	watchdogMaxInterval = 64 * time.Second
)

type watchdog struct {
	mu    sync.Mutex
	quit  chan struct{}
	done  chan struct{}
	ended bool
}

var rescues atomic.Uint64

// look is what the last looks at a socket found.
type look struct {
	times   int // in a row that it was suspicious
	wakeups uint64
}

// startWatchdog starts the context's watchdog once.
func (c *Context) startWatchdog() {
	n := &c.watchdog
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.quit != nil || n.ended {
		return
	}
	n.quit, n.done = make(chan struct{}), make(chan struct{})
	go c.runWatchdog(n.quit, n.done)
}

func (c *Context) stopWatchdog() {
	n := &c.watchdog
	n.mu.Lock()
	n.ended = true
	quit, done := n.quit, n.done
	n.quit = nil
	n.mu.Unlock()
	if quit != nil {
		close(quit)
		<-done
	}
}

// Rescues returns how many forgotten waiters the watchdogs of all contexts of the process
// have woken. Any number but 0 is a defect of the protocol.
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
		sockets = c.snapshot(sockets[:0])
		if k := c.sinkSocket(); k != nil {
			sockets = append(sockets, k)
		}
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

// inspect looks at one socket for the watchdog.
func (s *Socket) inspect() (wakeups uint64, suspicious, rescued bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.look
	s.look = look{}
	if s.tend() || s.tendUnwatched() {
		s.wakeups++ // something happens here
	}
	if s.state != stateOpen || !s.watched || s.lists[Recv].n+s.lists[Send].n == 0 {
		return s.wakeups, false, false
	}
	// A signal that is still there: the watcher has not come yet, which is not to be
	// made unnecessary by reading the events, or a loss would not show. No signal: all
	// commands were processed, and whom they enabled was to be woken. The stand-in for
	// the signal of a thread-safe socket says nothing: it is not cleared everywhere.
	waits := s.signal == nil && libzmq.Readable(s.fdNum)
	if !waits {
		events := s.events()
		if !s.anyForgotten(events) {
			return s.wakeups, false, false
		}
		if !seesThefts {
			// This look may have used up a signal that came just now (R2). So a loss of
			// this kind is mended there and not counted.
			s.notify(events)
			return s.wakeups, false, false
		}
	}
	s.look = look{times: 1, wakeups: s.wakeups}
	if before.wakeups == s.wakeups {
		s.look.times += before.times
	}
	if s.look.times < watchdogLooks {
		return s.wakeups, true, false
	}
	s.look = look{}
	events := s.events()
	rescued = s.anyForgotten(events) // else the signal is one that nobody waits for
	s.notify(events)
	return s.wakeups, false, rescued
}

// anyForgotten reports whether someone waits for what the events allow, and nobody has
// been woken for it who has yet to run.
func (s *Socket) anyForgotten(events int) bool {
	readable := events&libzmq.EventIn != 0 && s.receives() || s.in.ready()
	return readable && s.forgotten(Recv) || events&libzmq.EventOut != 0 && s.forgotten(Send)
}

func (s *Socket) forgotten(dir Direction) bool {
	return s.lists[dir].n > 0 && s.lists[dir].woken == 0
}
