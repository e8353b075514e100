package core

import (
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/watch"
)

// watch starts the socket's watcher if there is none. The first wait starts it, because it
// costs a descriptor and a goroutine.
func (s *held) watch() error {
	if s.watched {
		if s.watcher != nil {
			s.watcher.Expect()
		}
		return nil
	}
	fd, err := s.signalFD()
	if err != nil {
		return err
	}
	w, err := watch.New(fd, seesThefts, (*target)(s.sock))
	if err != nil {
		return err
	}
	s.watcher, s.fdNum, s.watched = w, w.FD(), true
	s.ctx.startWatchdog()
	return nil
}

// attend makes the watcher process the socket's commands from now on, even if no goroutine
// waits. libzmq ends a connection in steps, and the socket's side takes its steps in calls
// on the socket. Without such calls the peer stays connected and continues to send.
//
// The socket stays attentive until it is closed, because no event says when such an end
// is complete. libzmq does not report an end that the socket itself began, so s.peers
// removes these connections at once (Detach). An end can wait for Linger, for messages
// that the program has not received, or for an I/O thread that looks up a name. Its last
// command comes after that, at any time. The cost is one read of the events when a
// command comes to the idle socket.
func (s *held) attend() {
	s.attentive = true
	_ = s.watch() // if it fails, attendLater tries again
	s.attendLater()
}

// attendAgain is the time between looks at an attentive socket that has no watcher, or has
// messages to receive. The end of a connection may be queued behind them, and no command
// announces it.
const attendAgain = 500 * time.Millisecond

// attendLater schedules a look unless one is scheduled.
func (s *held) attendLater() {
	if s.lookDue {
		return
	}
	s.lookDue = true
	time.AfterFunc(attendAgain, func() {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.lookDue = false
		if s.state == stateOpen && s.attends() {
			_ = s.watch() // there may be a descriptor now
			s.process()
		}
	})
}

// process processes the socket's commands and wakes the waiters that can continue.
func (s *held) process() {
	events := s.events()
	if s.crowd.len() > 0 {
		s.crowd.Announce()
		s.wakeCrowd()
	}
	s.notify(events)
	if s.attentive && (!s.watched || s.receives() && events&libzmq.EventIn != 0) {
		s.attendLater()
	}
}

// attends reports whether the watcher must process the socket's commands. If the program
// has the descriptor, it waits for the signal and must not lose it.
func (s *held) attends() bool { return s.waiting() > 0 || s.attentive && !s.fdGiven }

// unwatch ends the watching, unless a goroutine waits, the watcher attends to the socket,
// or the program has the descriptor. The caller must close the returned watcher, if any,
// without the lock.
func (s *held) unwatch() *watch.Watcher {
	if s.watcher == nil || s.fdGiven || s.attentive || s.waiting() > 0 {
		return nil
	}
	w := s.watcher
	s.watcher, s.fdNum, s.watched = nil, -1, false
	s.suspicion = watch.Suspicion{} // the next watcher starts anew
	return w
}

// target is the socket as its watcher sees it.
type target Socket

// Signaled implements watch.Target.
func (t *target) Signaled(w *watch.Watcher, wait bool) watch.Outcome {
	var h *held
	if wait {
		h = t.lock.Lock()
	} else if h = t.lock.TryLock(); h == nil {
		return watch.Busy
	}
	defer t.lock.Unlock()
	return h.signaled(w)
}

// signaled handles an event of the descriptor.
func (s *held) signaled(w *watch.Watcher) watch.Outcome {
	s.wakeups++
	switch {
	case s.watcher != w || s.state == stateClosed:
		return watch.Over
	case s.state != stateOpen:
		return watch.Ignored
	}
	if s.signal != nil && !seesThefts {
		libzmq.ClearSignal(s.signal) // the signal is level-triggered
	}
	if !s.attends() {
		return watch.Ignored
	}
	s.process()
	return watch.Processed
}
