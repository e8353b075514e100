package core

import (
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// request is one operation of one goroutine, with the arguments for libzmq on each
// attempt. It is on the caller's stack, so that nothing is allocated.
type request struct {
	kind  requestKind
	dir   Direction
	part  []byte       // sendOne
	first []byte       // the first part of sendPrefixed
	parts [][]byte     // sendParts
	out   *outgoing    // sendList
	msgs  []libzmq.Msg // sendMsgs
	msg   *libzmq.Msg  // recvInto: the first part; sendPrefixed
	batch *Batch       // sendBatch, recvBatch
	size  size         // of the message that is sent

	patient bool // SendTimeout and RecvTimeout are ignored; a REQ or REP waits for its turn
}

type requestKind uint8

const (
	sendOne requestKind = iota
	sendParts
	sendList // parts collected by SendMore, and the last one
	sendMsgs
	recvInto // first part into msg, the others stay in the socket
	sendPrefixed
	sendBatch
	recvBatch
	waitOnly // wait until there is a message to receive, or room to send
)

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
	if s.lists[r.dir].n > 0 || (!seesThefts && s.waiting() > 0) {
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
	case r.kind == waitOnly:
		return s.attemptNothing(r.dir)
	case r.dir == Send:
		return s.attemptSend(r, flags)
	}
	if r.kind == recvBatch {
		return r.batch.attemptRecv(s, flags)
	}
	return s.attemptRecv(r.msg, flags)
}

func (s *Socket) attemptSend(r *request, flags int) (rc, events int) {
	r.size = r.measure()
	switch r.kind {
	case sendParts:
		return libzmq.Send(s.handle, r.parts, flags)
	case sendList:
		return libzmq.SendList(s.handle, r.out.flat, r.out.lens, r.out.msgs, flags)
	case sendMsgs:
		return libzmq.SendMsgs(s.handle, r.msgs, flags)
	case sendPrefixed:
		lens := [2]int64{int64(len(r.first)), -1} // r.first, then r.msg
		return libzmq.SendList(s.handle, r.first, lens[:], one(r.msg), flags)
	case sendBatch:
		return r.batch.attemptSend(s, flags)
	}
	return libzmq.Send1(s.handle, r.part, flags)
}

// attemptNothing succeeds if an attempt in that direction could succeed.
func (s *Socket) attemptNothing(dir Direction) (rc, events int) {
	events = libzmq.Events(s.handle)
	switch {
	case events&libzmq.EventTerm != 0:
		return -libzmq.ETERM, events
	case dir == Recv && (s.in.pending() > 0 || events&libzmq.EventIn != 0),
		dir == Send && events&libzmq.EventOut != 0:
		return 0, events
	}
	return -int(syscall.EAGAIN), events
}
