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

	deadline time.Time // by SendTimeout or RecvTimeout, since the first wait of the call
	size     size      // of the message that is sent
	own      bool      // msgs are copies that only this request knows (keep.go)
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
	if r.parts != nil {
		return r.parts[i]
	}
	return r.list.part(i)
}

// shimFlags returns the flags for the shims on an attempt. s.mu is held.
func (s *Socket) shimFlags() int {
	if s.ctx.loses.Load() {
		return s.flags | libzmq.Copy
	}
	return s.flags
}

// attemptRare is like attempt, with the rules that straight sockets do not need. s.mu is
// held.
func (s *Socket) attemptRare(r *request) (rc, events int) {
	flags := s.shimFlags()
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
	return s.attempt(r, flags)
}

// attempt tries the request once without blocking. s.mu is held.
func (s *Socket) attempt(r *request, flags int) (rc, events int) {
	switch {
	case r.looks:
		return s.attemptNothing(r.dir)
	case r.dir == Send:
		return s.attemptSend(r, flags)
	case r.batch != nil:
		return r.batch.attemptRecv(s, flags)
	}
	return s.attemptRecv(r.msg, flags)
}

// holdsTurn reports whether a REQ or REP holds parts that must be received before it sends.
// libzmq has handed out the whole message, and would accept a send.
func (s *Socket) holdsTurn() bool { return s.typ.InTurn() && s.in.Held() > 0 }

func (s *Socket) attemptSend(r *request, flags int) (rc, events int) {
	if !r.patient && s.holdsTurn() {
		return -libzmq.EFSM, 0
	}
	r.size = r.measure()
	switch {
	case r.parts != nil:
		return libzmq.Send(s.handle, r.parts, flags)
	case r.batch != nil:
		return r.batch.attemptSend(s, flags)
	case r.lens != nil:
		return libzmq.SendList(s.handle, r.flat, r.lens, r.msgs, flags)
	}
	if r.own {
		flags &^= libzmq.Copy
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

// attemptRecv receives the next part into first. s.mu is held.
func (s *Socket) attemptRecv(first *libzmq.Msg, flags int) (rc, events int) {
	if s.in.Held() > 0 {
		s.in.Take(first)
		return 0, s.eventsFor(flags)
	}
	if s.in.Due() {
		s.in.Begin(s.mayReadAhead)
	}
	return s.in.Receive(s.handle, first, flags)
}

// eventsFor reads the events after a receive that did not use libzmq. The next waiter
// needs them, unless more messages are ready here.
func (s *Socket) eventsFor(flags int) int {
	if flags&libzmq.WantEvents == 0 || s.in.Ready() {
		return 0
	}
	return s.events()
}
