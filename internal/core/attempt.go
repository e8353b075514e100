package core

import (
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// attemptRare is like attempt, with the rules that straight sockets do not need.
func (s *held) attemptRare(r *request) (rc, events int) {
	flags := s.flags
	if s.lists[r.dir].Len() > 0 || (!seesThefts && s.waiting() > 0) {
		flags |= libzmq.WantEvents
	}
	if s.subs != nil {
		if r.dir == Send {
			s.beforeSend()
		} else if rc, events, done := s.attemptSubscribed(r, flags); done {
			return rc, events
		}
	}
	if s.learns && r.dir == Recv {
		if rc, events, done := s.attemptMet(r, flags); done {
			return rc, events
		}
	}
	switch {
	case r.dir == Send && !r.looks && !r.patient && s.holdsTurn():
		return -libzmq.EFSM, 0
	case r.msg != nil && s.in.Held() > 0:
		s.in.Take(r.msg)
		return 0, s.eventsFor(flags)
	}
	return s.attempt(r, flags)
}

// holdsTurn reports whether a REQ or REP holds parts that must be received before it sends.
// libzmq has handed out the whole message, and would accept a send.
func (s *held) holdsTurn() bool { return s.typ.InTurn() && s.in.Held() > 0 }

// lendFlags returns the flags for a send of native memory.
func (s *held) lendFlags() int {
	if s.ctx.loses.Load() {
		return s.flags | libzmq.Copy
	}
	return s.flags
}

// attempt tries the request once without blocking.
func (s *held) attempt(r *request, flags int) (rc, events int) {
	switch {
	case r.msg != nil:
		if s.in.Due() {
			s.beginAhead()
		}
		return s.in.Receive(s.handle, r.msg, flags)
	case r.parts != nil && r.copies == nil:
		return libzmq.Send(s.handle, r.parts, flags)
	case r.looks:
		return s.attemptNothing(r.dir)
	case r.batch != nil && r.dir == Recv:
		return r.batch.attemptRecv(s, flags)
	}
	flags |= s.lendFlags()
	switch {
	case r.batch != nil:
		return r.batch.attemptSend(s, flags)
	case r.copies != nil:
		if r.parts != nil || len(r.msgs) == 0 { // libzmq may have them: nobody else does
			flags &^= libzmq.Copy
		}
		return libzmq.SendMsgs(s.handle, r.copies, flags)
	case r.lens != nil:
		return libzmq.SendList(s.handle, r.flat, r.lens, r.msgs, flags)
	}
	return libzmq.SendMsgs(s.handle, r.msgs, flags)
}

// attemptNothing succeeds if an attempt in that direction could succeed.
func (s *held) attemptNothing(dir Direction) (rc, events int) {
	events = s.visible(libzmq.Events(s.handle))
	switch {
	case events&libzmq.EventTerm != 0:
		return -libzmq.ETERM, events
	case dir == Recv && (s.in.Held() > 0 || events&libzmq.EventIn != 0),
		dir == Send && events&libzmq.EventOut != 0:
		return 0, events
	}
	return -int(syscall.EAGAIN), events
}

// eventsFor reads the events after a receive that did not use libzmq. The next waiter
// needs them, unless more messages are ready here.
func (s *held) eventsFor(flags int) int {
	if flags&libzmq.WantEvents == 0 || s.in.Ready() {
		return 0
	}
	return s.events()
}

// straight reports whether a send or receive needs only its shim: no rule of the socket's
// type and settings applies, and it wakes no goroutine that the watcher would not wake
// (duplex).
func (s *held) straight(dir Direction) bool {
	return s.plain && s.lists[dir].Len() == 0 && (s.duplex || s.lists[1-dir].Len() == 0 && (dir == Recv || !s.holdsTurn()))
}

// try makes attempts until one succeeds, fails, or certainly cannot succeed now, which it
// reports as EAGAIN (R1). It wakes the waiters that can continue.
func (s *held) try(r *request) int {
	if !s.straight(r.dir) {
		return s.tryRare(r)
	}
	rc, events := s.attempt(r, s.flags)
	return s.resolve(r, rc, events)
}

// tryRare is try with the rules that straight calls do not need.
func (s *held) tryRare(r *request) int {
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
func (s *held) resolve(r *request, rc, events int) int {
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
func (s *held) succeeded(r *request, events int) int {
	s.count(r)
	if events == 0 && s.typ.InTurn() && s.waiting() > 0 {
		return s.events() // R8
	}
	return events
}

// count counts a request that succeeded. It does not count batches, which do that
// themselves.
func (s *held) count(r *request) {
	switch {
	case r.looks || r.batch != nil:
	case r.dir == Recv:
		s.stats.Received.part(r.msg)
	default:
		s.stats.Sent.add(r.size.parts, r.size.bytes)
		if r.size.parts == 2 && r.size.last == 0 {
			s.endedPeers(1)
		}
	}
}
