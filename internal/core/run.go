package core

import (
	"context"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// do makes an operation: it tries once and, if that fails with EAGAIN, waits, unless dontWait
// is set. r is nil for a single part, which is a send of part or, if it is not nil, of m, or a
// receive into m. Such an operation becomes a request only when the first try has failed. s.mu
// is held, but not while the goroutine waits.
func (s *Socket) do(ctx context.Context, dir Direction, part []byte, m *libzmq.Msg, r *request, dontWait bool) error {
	if !s.straight(dir) {
		return s.doRare(ctx, dir, part, m, r, dontWait)
	}
	var rc, events int
	sent := len(part)
	switch {
	case r != nil:
		if rc, events = s.attempt(r, s.flags); rc >= 0 && events == 0 {
			s.count(r)
			return nil
		}
		return s.conclude(ctx, r, s.resolve(r, rc, events), dontWait)
	case m == nil:
		if rc, events = libzmq.Send1(s.handle, part, s.flags); rc == 0 && events == 0 {
			s.stats.Sent.add(1, sent)
			return nil
		}
	case dir == Recv:
		if s.in.Due() {
			s.beginAhead()
		}
		if rc, events = s.in.Receive(s.handle, m, s.flags); rc == 0 && events == 0 {
			s.stats.Received.part(m)
			return nil
		}
	default:
		sent = m.Len()
		if rc, events = libzmq.SendMsgs(s.handle, one(m), s.lendFlags()); rc == 0 && events == 0 {
			s.stats.Sent.add(1, sent)
			return nil
		}
	}
	var single request
	if single.take(dir, m); dir == Send && m == nil {
		single.parts = [][]byte{part}
	}
	single.size = size{1, sent, sent}
	return s.conclude(ctx, &single, s.resolve(&single, rc, events), dontWait)
}

// doRare is do for a socket that is closed, has rules of its own, or has waiters to wake.
func (s *Socket) doRare(ctx context.Context, dir Direction, part []byte, m *libzmq.Msg, r *request, dontWait bool) error {
	if s.state != stateOpen {
		if dir == Recv && (r == nil || !r.looks) {
			s.in.EndMessage() // a loop that asks only for More ends, too
		}
		return s.state.err()
	}
	var single request
	if r == nil {
		if single.take(dir, m); dir == Send && m == nil {
			single.parts = [][]byte{part}
		}
		single.measure()
		r = &single
	}
	if !s.plain && dir == Send {
		if err := s.check(r); err != nil {
			return err
		}
	}
	return s.conclude(ctx, r, s.tryRare(r), dontWait)
}

// conclude completes an operation after its first try. If that returned EAGAIN and the call
// may block, it waits.
func (s *Socket) conclude(ctx context.Context, r *request, rc int, dontWait bool) error {
	if rc == again && s.full != FullDrop && r.dir == Send {
		rc, dontWait = s.noRoom(r, dontWait)
	}
	if rc != again {
		return errorOf(rc)
	}
	switch {
	case s.state != stateOpen:
		return s.state.err()
	case dontWait:
		s.stats.Blocked[r.dir]++
		return syscall.EAGAIN
	case s.limit[r.dir] == 0 && !r.patient:
		return ErrTimeout
	}
	return s.wait(ctx, r)
}

// straight reports whether a send or receive needs only its shim: no rule of the socket's type and
// settings applies, and it wakes no goroutine that the watcher would not wake (duplex). s.mu is
// held.
func (s *Socket) straight(dir Direction) bool {
	return s.plain && s.lists[dir].Len() == 0 && (s.duplex || s.lists[1-dir].Len() == 0 && (dir == Recv || !s.holdsTurn()))
}

// classify notes whether the socket is open and its type and settings have no rules of their
// own. s.mu is held.
func (s *Socket) classify() {
	s.plain = s.state == stateOpen && !s.typ.Checked() && s.subs == nil && !s.learns &&
		!s.udp && !s.peers.Raw.Load() && !s.touching && !s.options.On(libzmq.OptConflate) && !s.in.Oversized()
	s.duplex = seesThefts && !s.typ.InTurn()
}

// try makes attempts until one succeeds, fails, or certainly cannot succeed now, which it
// reports as EAGAIN (R1). It wakes the waiters that can continue.
func (s *Socket) try(r *request) int {
	if !s.straight(r.dir) {
		return s.tryRare(r)
	}
	rc, events := s.attempt(r, s.flags)
	return s.resolve(r, rc, events)
}

// tryRare is try with the rules that straight calls do not need.
func (s *Socket) tryRare(r *request) int {
	if s.in.Oversized() && r.dir == Recv && s.in.Held() == 0 {
		s.in.Shrink()
		s.classify()
	}
	mayClose := s.peers.Raw.Load() && r.dir == Send // an empty part closes the connection of a peer
	if mayClose && s.typ == libzmq.Stream {
		libzmq.Events(s.handle) // libzmq learns of a peer that hung up: it is counted once
	}
	rc, events := s.attemptRare(r)
	rc = s.resolve(r, rc, events)
	if mayClose {
		s.attend()
	}
	return rc
}

// resolve completes try, and a straight call, after the first attempt.
func (s *Socket) resolve(r *request, rc, events int) int {
	for {
		if rc == -libzmq.EFSM && r.patient { // a REQ or REP: it is the turn of the other direction (R8)
			rc, events = again, s.events()
		}
		s.touch()
		if rc >= 0 {
			events = s.succeeded(r, events)
		} else {
			s.noteLost(rc)
		}
		if rc == -libzmq.ETERM {
			s.stop(stateTerminated)
			return rc
		}
		if events != 0 || s.lists[Recv].Len() > 0 && s.in.Ready() {
			s.notify(events)
		}
		if rc != again || s.state != stateOpen || !s.allows(r.dir, events) {
			return rc
		}
		// The attempt failed, but the events say that it can succeed because something arrived or
		// left in between. Never wait on that. Look again.
		if s.giveWay(); s.state != stateOpen {
			return again
		}
		rc, events = s.attemptRare(r)
	}
}

// succeeded counts a request, and returns the events that its success may have changed.
// s.mu is held.
func (s *Socket) succeeded(r *request, events int) int {
	s.count(r)
	if events == 0 && s.typ.InTurn() && s.waiting() > 0 {
		return s.events() // R8
	}
	return events
}

// allows reports whether the events say for certain that an operation of that direction
// can succeed.
func (s *Socket) allows(dir Direction, events int) bool {
	if dir == Recv {
		return events&libzmq.EventIn != 0
	}
	return events&libzmq.EventOut != 0 && s.flags&libzmq.Inexact == 0
}

// waiting returns the number of goroutines that wait.
func (s *Socket) waiting() int {
	return s.lists[Recv].Len() + s.lists[Send].Len() + s.crowd.len() + s.counting()
}

// notify wakes the first waiter of each direction in which the socket's events allow it to
// continue, but not senders whose POLLOUT is inexact. It also counts subscriptions, and
// stops the socket if its context was shut down. s.mu is held.
func (s *Socket) notify(events int) {
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

// stop makes the socket unusable and wakes all goroutines that wait for it. s.mu is held.
func (s *Socket) stop(st state) {
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
