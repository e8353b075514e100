package core

import (
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// request is one operation of one goroutine, with the arguments for libzmq on each
// attempt. It is on the caller's stack, so that nothing is allocated.
type request struct {
	dir     Direction
	looks   bool // only waits until there is a message to receive, or room to send
	patient bool // SendTimeout and RecvTimeout are ignored; a REQ or REP waits for its turn

	// Of these, one is set. A send has parts, a list or a batch.
	parts [][]byte // copied
	list
	batch *Batch
	msg   *libzmq.Msg // for the first part that is received; the others stay in the socket

	deadline time.Time    // by SendTimeout or RecvTimeout, since the first wait of the call
	size     size         // of the message that is sent, unless that is a batch
	copies   []libzmq.Msg // of a send that waits, see keep
}

// take makes an operation on a native part a request, see do.
func (r *request) take(dir Direction, m *libzmq.Msg) {
	r.dir = dir
	switch {
	case dir == Recv:
		r.msg = m
	case m != nil:
		r.msgs = one(m)
	}
}

// count returns the number of parts of the message that is sent.
func (r *request) count() int {
	switch {
	case r.parts != nil:
		return len(r.parts)
	case r.lens != nil:
		return len(r.lens)
	}
	return len(r.msgs)
}

// part returns the content of a part of the message that is sent.
func (r *request) part(i int) []byte {
	switch {
	case r.copies != nil:
		return r.copies[i].Bytes()
	case r.parts != nil:
		return r.parts[i]
	}
	return r.list.part(i)
}

// attemptRare is like attempt, with the rules that straight sockets do not need. s.mu is
// held.
func (s *Socket) attemptRare(r *request) (rc, events int) {
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
func (s *Socket) holdsTurn() bool { return s.typ.InTurn() && s.in.Held() > 0 }

// lendFlags returns the flags for a send of native memory.
func (s *Socket) lendFlags() int {
	if s.ctx.loses.Load() {
		return s.flags | libzmq.Copy
	}
	return s.flags
}

// attempt tries the request once without blocking. s.mu is held.
func (s *Socket) attempt(r *request, flags int) (rc, events int) {
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
func (s *Socket) attemptNothing(dir Direction) (rc, events int) {
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
func (s *Socket) eventsFor(flags int) int {
	if flags&libzmq.WantEvents == 0 || s.in.Ready() {
		return 0
	}
	return s.events()
}
