package core

import (
	"runtime"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// giveWay lets other goroutines use the socket for a moment.
func (s *held) giveWay() {
	s.lock.Unlock()
	runtime.Gosched()
	s.lock.Lock()
}

// touch is called after an operation that may have consumed a signal.
func (s *held) touch() {
	if s.touching {
		s.touchAll()
	}
}

func (s *held) touchAll() { s.tell(libzmq.EventIn|libzmq.EventOut, nil) }

// tell calls Touched of all observers except but.
func (s *held) tell(events int, but Observer) {
	for _, o := range s.observers {
		if o != but {
			o.Touched(events)
		}
	}
}

// events reads the socket's events.
func (s *held) events() int {
	events := libzmq.Events(s.handle)
	s.sawEvents(s.visible(events), nil)
	return events
}

// sawEvents passes events that were read to all observers except but. The read may have
// consumed a signal that these observers cannot see.
func (s *held) sawEvents(events int, but Observer) {
	if s.touching {
		s.tell(events, but)
	}
}

// signalFD returns the descriptor on which libzmq signals a command: ZMQ_FD, or its
// replacement for the thread-safe types.
func (s *held) signalFD() (int, error) {
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

// classify notes whether the socket is open and its type and settings have no rules of
// their own.
func (s *held) classify() {
	s.plain = s.state == stateOpen && !s.typ.Checked() && s.subs == nil && !s.learns &&
		!s.udp && !s.peers.Raw.Load() && !s.touching && !s.options.On(libzmq.OptConflate) && !s.in.Oversized()
	s.duplex = seesThefts && !s.typ.InTurn()
}

// allows reports whether the events say for certain that an operation of that direction
// can succeed.
func (s *held) allows(dir Direction, events int) bool {
	if dir == Recv {
		return events&libzmq.EventIn != 0
	}
	return events&libzmq.EventOut != 0 && s.flags&libzmq.Inexact == 0
}

// waiting returns the number of goroutines that wait.
func (s *held) waiting() int {
	return s.lists[Recv].Len() + s.lists[Send].Len() + s.crowd.len() + s.counting()
}

// notify wakes the first waiter of each direction in which the socket's events allow it to
// continue, but not senders whose POLLOUT is inexact. It also counts subscriptions, and
// stops the socket if its context was shut down.
func (s *held) notify(events int) {
	if events&libzmq.EventTerm != 0 {
		s.stop(stateTerminated)
		return
	}
	if s.counting() > 0 && s.takeSubscriptions() > 0 {
		s.subs.changed.Wake() // there are more messages, and no edge announces them
	}
	events = s.visible(events)
	// Messages that were read ahead wait here, not in libzmq.
	if s.allows(Recv, events) || s.in.Ready() {
		s.lists[Recv].WakeFirst()
	}
	if s.allows(Send, events) {
		s.lists[Send].WakeFirst()
	}
}

// stop makes the socket unusable and wakes all goroutines that wait for it.
func (s *held) stop(st state) {
	if s.state == stateOpen {
		close(s.done)
	}
	s.state = st
	s.classify()
	s.lists[Recv].WakeAll()
	s.lists[Send].WakeAll()
	if s.crowd != nil {
		s.crowd.WakeAll()
	}
	if st == stateTerminated {
		for _, o := range s.observers {
			o.Stopped(false, true)
		}
	}
	if s.subs != nil {
		s.subs.changed.Wake()
	}
}

// Configure runs an operation under the mutex, other than a send or receive. The
// operation may change whether the socket's waiters can continue (R5).
func (s *Socket) Configure(call func(libzmq.Socket) int) (int, error) {
	return s.configure(func(h *held) int { return call(h.handle) })
}

// configure is Configure for this package.
func (s *Socket) configure(call func(h *held) int) (int, error) {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	if h.state != stateOpen {
		return 0, h.state.err()
	}
	rc := call(h)
	if h.waiting() > 0 {
		h.process()
	}
	h.touchAll()
	h.classify()
	return rc, errorOf(rc)
}
