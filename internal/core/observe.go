package core

import (
	"slices"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Observe attaches an observer.
func (s *Socket) Observe(o Observer) error {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	if h.state != stateOpen {
		return h.state.err()
	}
	fd, err := h.signalFD()
	if err != nil {
		return err
	}
	if err := o.Attach(fd); err != nil {
		return err
	}
	h.observers = append(h.observers, o)
	h.decideTouching()
	return nil
}

// Unobserve detaches an observer and reports whether it was attached.
func (s *Socket) Unobserve(o Observer) bool {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	i := slices.Index(h.observers, o)
	if i < 0 {
		return false
	}
	h.observers = slices.Delete(h.observers, i, i+1)
	h.decideTouching()
	o.Stopped(true, false)
	return true
}

// decideTouching records whether operations call Touched. On REQ and REP they do, because
// each message changes the possible direction without a command.
func (s *held) decideTouching() {
	s.touching = false
	for _, o := range s.observers {
		if s.typ.InTurn() || !o.SeesThefts() {
			s.touching = true
		}
	}
	s.classify()
}

// Look returns the current events of the socket, EventIn and EventOut, for one of its
// observers, and how many messages it has received. It may leave out events that are not
// in want. EventIn includes messages that the socket itself holds.
func (s *Socket) Look(o Observer, want int) (events int, received uint64) {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	received = h.stats.Received.Messages
	if h.state != stateOpen {
		return 0, received
	}
	held := 0
	if h.in.Held() > 0 {
		if held = libzmq.EventIn; want == held {
			return held, received
		}
	}
	if h.signal != nil && !o.SeesThefts() {
		libzmq.ClearSignal(h.signal) // a level-triggered wait would not sleep again
	}
	events = h.visible(libzmq.Events(h.handle))
	h.sawEvents(events|held, o)
	if events&libzmq.EventTerm != 0 || h.waiting() > 0 {
		h.notify(events)
	}
	if h.state != stateOpen {
		return 0, received
	}
	if h.in.Held() > 0 { // notify may have taken messages out
		held = libzmq.EventIn
	}
	return (events | held) & (libzmq.EventIn | libzmq.EventOut), received
}
