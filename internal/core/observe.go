package core

import (
	"slices"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// An Observer learns when a socket may have become ready to receive or send: a
// poller, of which a socket may have several. Its methods are called with the
// socket's mutex held, which comes before any lock of theirs.
//
// The rule that keeps a poller from sleeping while a socket is ready: after a Look
// that found a direction not ready, a change of that is announced by the
// descriptor (a command that was put into the mailbox, or, where SeesThefts, was
// taken out by another call: F1 to F3 and K1 in the package comment) or by Touched.
type Observer interface {
	// Attach begins the observation of a descriptor of libzmq's, which is neither to
	// be read nor closed, and which is the socket's until Stopped or Detach. Its error
	// ends the observation.
	Attach(fd int) error
	// SeesThefts reports whether the observer is told when a signal of the descriptor
	// is used up by others. If not, every operation on the socket touches it.
	SeesThefts() bool
	// Touched says that the socket may have become ready, of which the descriptor
	// does not tell.
	Touched()
	// Saw says that somebody else looked, and what the socket can do. A look must not
	// touch: two observers would keep each other awake.
	Saw(events int)
	// Stopped says that the socket cannot be used any more: its context was shut
	// down (it remains attached), or it is being closed, by itself or with its
	// context, which ends the observation.
	Stopped(closed, withContext bool)
	// Detach ends the observation, asked for by Unobserve.
	Detach()
}

// Observe attaches an observer.
func (s *Socket) Observe(o Observer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != stateOpen {
		return s.state.err()
	}
	s.settle() // a look is at libzmq's own events
	fd, err := s.signalFD()
	if err != nil {
		return err
	}
	if err := o.Attach(fd); err != nil {
		return err
	}
	s.observers = append(s.observers, o)
	s.decideTouching()
	return nil
}

// Unobserve detaches an observer, and reports whether it was attached.
func (s *Socket) Unobserve(o Observer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.observers, o)
	if i < 0 {
		return false
	}
	s.observers = slices.Delete(s.observers, i, i+1)
	s.decideTouching()
	o.Detach()
	return true
}

// decideTouching notes whether operations touch the observers: REQ and REP change
// what they can do with every message, without a command.
func (s *Socket) decideTouching() {
	s.touching = false
	for _, o := range s.observers {
		if s.typ == libzmq.Req || s.typ == libzmq.Rep || !o.SeesThefts() {
			s.touching = true
		}
	}
	s.classify()
}

// touch is called after an operation that may have used up a signal.
func (s *Socket) touch() {
	if s.touching {
		s.touchAll()
	}
}

func (s *Socket) touchAll() {
	for _, o := range s.observers {
		o.Touched()
	}
}

// events reads the socket's events. s.mu is held.
func (s *Socket) events() int {
	events := libzmq.Events(s.handle)
	told := events
	if !s.receives() {
		told &^= libzmq.EventIn
	}
	s.tell(told, nil)
	return events
}

// tell says what a look that may have used up a signal found, to those who would not
// know, but for one.
func (s *Socket) tell(events int, but Observer) {
	if !s.touching {
		return
	}
	for _, o := range s.observers {
		if o != but {
			o.Saw(events)
		}
	}
}

// Look returns the events, EventIn and EventOut, that the socket has now, for one of
// its observers; of those that it does not want it may leave some out. Messages that
// the socket holds count.
func (s *Socket) Look(o Observer, want int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != stateOpen {
		return 0
	}
	held := 0
	if s.in.pending() > 0 {
		if held = libzmq.EventIn; want == held {
			return held
		}
	}
	if s.signal != nil && !o.SeesThefts() {
		libzmq.ClearSignal(s.signal) // who waits for its level would not sleep again
	}
	events := libzmq.Events(s.handle)
	if !s.receives() {
		events &^= libzmq.EventIn
	}
	s.tell(events|held, o)
	if events&libzmq.EventTerm != 0 || s.waiting() > 0 {
		s.notify(events)
	}
	if s.state != stateOpen {
		return 0
	}
	if s.in.pending() > 0 { // what notify took out counts, too
		held = libzmq.EventIn
	}
	return (events | held) & (libzmq.EventIn | libzmq.EventOut)
}

// signalFD returns the descriptor on which libzmq signals a command: ZMQ_FD, or what
// stands for it with the thread-safe types. s.mu is held.
func (s *Socket) signalFD() (int, error) {
	if s.pollable {
		fd := libzmq.GetInt(s.handle, libzmq.OptFD)
		return fd, errorOf(fd)
	}
	if s.signal == nil {
		signal, rc := libzmq.OpenSignal(s.handle)
		if rc < 0 {
			if rc == -int(syscall.ENOTSUP) {
				return -1, &Fault{syscall.ENOTSUP, TypeName(s.typ) + " sockets have a descriptor only with a libzmq that offers zmq_poller_fd, which is part of its draft API"}
			}
			return -1, errorOf(rc)
		}
		s.signal = signal
	}
	fd := libzmq.SignalFD(s.signal)
	return fd, errorOf(fd)
}
