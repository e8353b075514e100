package core

import (
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A request is one operation of one goroutine: what to hand to libzmq on each
// attempt. It lives on the caller's stack, so that nothing is allocated.
type request struct {
	kind  requestKind
	dir   Direction
	part  []byte        // sendOne, sendBehind
	parts [][]byte      // sendParts
	out   outgoing      // sendList
	msgs  []libzmq.Msg  // sendMsgs
	msg   *libzmq.Msg   // recvInto: where the first part goes; sendBehind
	dst   *[]libzmq.Msg // recvAll: where all parts go
	batch *Batch        // sendBatch, recvBatch
	size  size          // sendList, sendMsgs, sendBehind

	patient bool // SendTimeout and RecvTimeout do not count
}

type requestKind uint8

const (
	sendOne   requestKind = iota
	sendParts             // up to libzmq.MaxFixed parts
	sendList              // any number, flattened
	sendMsgs
	recvInto // first part into msg, the others wait in the socket
	recvAll  // all parts into dst
	sendBehind
	sendBatch
	recvBatch
	waitOnly // is there something to receive?
)

// attempt makes one non-blocking try. s.mu is held.
func (s *Socket) attempt(r *request) (rc, events int) {
	if s.typ == libzmq.Dgram && r.dir == Send {
		if rc, events = s.mayDatagram(r); rc < 0 {
			return rc, events
		}
	}
	how := s.how
	if s.lists[r.dir].n > 0 || (!seesThefts && s.waiting() > 0) {
		how |= libzmq.WantEvents
	}
	if s.ctx.loses.Load() {
		how |= libzmq.Copy
	}
	if s.subs != nil {
		if r.dir == Send {
			s.beforeSend()
		} else if rc, events, done := s.attemptSubscribed(r, how); done {
			return rc, events
		}
	}
	switch r.kind {
	case sendOne:
		return libzmq.Send1(s.handle, r.part, how)
	case sendParts:
		return libzmq.Send(s.handle, r.parts, how)
	case sendList:
		r.size = r.out.size()
		return libzmq.SendList(s.handle, r.out.flat, r.out.lens, r.out.msgs, how)
	case sendMsgs:
		r.size = sizeOf(r.msgs)
		return libzmq.SendMsgs(s.handle, r.msgs, how)
	case recvInto:
		return s.attemptRecv(r.msg, how)
	case recvAll:
		return s.attemptRecvAll(r.dst, how)
	case sendBehind:
		r.size = size{2, len(r.part) + r.msg.Len()}
		return libzmq.SendBehind(s.handle, r.part, r.msg, how)
	case sendBatch:
		return r.batch.attemptSend(s, how)
	case recvBatch:
		return r.batch.attemptRecv(s, how)
	}
	events = libzmq.Events(s.handle)
	switch {
	case events&libzmq.EventTerm != 0:
		return -libzmq.ETERM, events
	case s.in.pending() > 0 || events&libzmq.EventIn != 0:
		return 0, events
	}
	return -int(syscall.EAGAIN), events
}

// mayDatagram reports whether a DGRAM can send the request. libzmq destroys a
// message that it has no peer for and says that it failed, at which zmq_send
// aborts; and it takes the parts for address and data by turns, whatever message
// they belong to.
func (s *Socket) mayDatagram(r *request) (rc, events int) {
	parts := 2 // sendBehind
	switch r.kind {
	case sendOne:
		parts = 1
	case sendParts:
		parts = len(r.parts)
	case sendList:
		parts = len(r.out.lens)
	case sendMsgs:
		parts = len(r.msgs)
	case sendBatch:
		return -int(syscall.ENOTSUP), 0
	}
	if parts != 2 {
		return -int(syscall.EINVAL), 0
	}
	events = libzmq.Events(s.handle)
	switch {
	case events&libzmq.EventTerm != 0:
		return -libzmq.ETERM, events
	case events&libzmq.EventOut == 0:
		return again, events
	}
	return 0, events
}
