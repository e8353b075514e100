package core

import (
	"slices"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Observer learns when a socket may have become ready to receive or send. An observer is
// a poller, and a socket may have several. Its methods are called with the socket's mutex
// held. In the order of locks, that mutex comes before any lock of the observer.
//
// One rule keeps a poller from sleeping while a socket is ready. After a Look that found
// a direction not ready, a change is announced by the descriptor or by Touched. The
// descriptor announces a command that was put into the mailbox or, where SeesThefts is
// true, was taken out by another call (F1 to F3 and K1 in the package comment).
type Observer interface {
	// Attach starts the observation of a descriptor of libzmq. The observer must neither
	// read nor close the descriptor. It is valid until the observation ends. After an error
	// there is no observation.
	Attach(fd int) error
	// SeesThefts reports whether the observer is notified when another call consumes a
	// signal of the descriptor. If not, every operation on the socket calls Touched.
	SeesThefts() bool
	// Touched says that the socket may have become ready for the events although the
	// descriptor does not report it. A call that read the events passes only those, or two
	// observers would keep each other awake.
	Touched(events int)
	// Stopped with ended says that the observation is over: the socket was closed, alone or
	// with its context, or Unobserve was called. Without ended, the context was shut down,
	// and the observer remains attached.
	Stopped(ended, withContext bool)
}

// Observe attaches an observer.
func (s *Socket) Observe(o Observer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != stateOpen {
		return s.state.err()
	}
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

// Unobserve detaches an observer and reports whether it was attached.
func (s *Socket) Unobserve(o Observer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.observers, o)
	if i < 0 {
		return false
	}
	s.observers = slices.Delete(s.observers, i, i+1)
	s.decideTouching()
	o.Stopped(true, false)
	return true
}

// decideTouching records whether operations call Touched. On REQ and REP they do, because
// each message changes the possible direction without a command.
func (s *Socket) decideTouching() {
	s.touching = false
	for _, o := range s.observers {
		if s.typ.InTurn() || !o.SeesThefts() {
			s.touching = true
		}
	}
	s.classify()
}

// touch is called after an operation that may have consumed a signal.
func (s *Socket) touch() {
	if s.touching {
		s.touchAll()
	}
}

func (s *Socket) touchAll() { s.tell(libzmq.EventIn|libzmq.EventOut, nil) }

// tell calls Touched of all observers except but.
func (s *Socket) tell(events int, but Observer) {
	for _, o := range s.observers {
		if o != but {
			o.Touched(events)
		}
	}
}

// events reads the socket's events. s.mu is held.
func (s *Socket) events() int {
	events := libzmq.Events(s.handle)
	s.sawEvents(s.visible(events), nil)
	return events
}

// sawEvents passes events that were read to all observers except but. The read may have
// consumed a signal that these observers cannot see.
func (s *Socket) sawEvents(events int, but Observer) {
	if s.touching {
		s.tell(events, but)
	}
}

// Look returns the current events of the socket, EventIn and EventOut, for one of its
// observers, and how many messages it has received. It may leave out events that are not
// in want. EventIn includes messages that the socket itself holds.
func (s *Socket) Look(o Observer, want int) (events int, received uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	received = s.stats.Received.Messages
	if s.state != stateOpen {
		return 0, received
	}
	held := 0
	if s.in.Held() > 0 {
		if held = libzmq.EventIn; want == held {
			return held, received
		}
	}
	if s.signal != nil && !o.SeesThefts() {
		libzmq.ClearSignal(s.signal) // a level-triggered wait would not sleep again
	}
	events = s.visible(libzmq.Events(s.handle))
	s.sawEvents(events|held, o)
	if events&libzmq.EventTerm != 0 || s.waiting() > 0 {
		s.notify(events)
	}
	if s.state != stateOpen {
		return 0, received
	}
	if s.in.Held() > 0 { // notify may have taken messages out
		held = libzmq.EventIn
	}
	return (events | held) & (libzmq.EventIn | libzmq.EventOut), received
}

// signalFD returns the descriptor on which libzmq signals a command: ZMQ_FD, or its
// replacement for the thread-safe types. s.mu is held.
func (s *Socket) signalFD() (int, error) {
	if s.pollable {
		fd := libzmq.FD(s.handle)
		return fd, errorOf(fd)
	}
	if s.signal == nil {
		signal, rc := libzmq.OpenSignal(s.handle)
		if rc < 0 {
			if rc == -int(syscall.ENOTSUP) {
				return -1, fault.New(syscall.ENOTSUP, s.typ.String()+" sockets have a file descriptor only if libzmq has zmq_poller_fd, a function of its draft API")
			}
			return -1, errorOf(rc)
		}
		s.signal = signal
	}
	fd := libzmq.SignalFD(s.signal)
	return fd, errorOf(fd)
}
