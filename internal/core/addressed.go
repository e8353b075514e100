package core

import (
	"context"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A message of a draft type has one part, and the routing id of the peer or the group as
// metadata. Only libzmq can read the metadata, so the call that receives the message
// reads it as well.

type groupName struct {
	text [libzmq.GroupRead]byte
	n    int
}

// RecvFrom is like Recv and also returns the routing id of the peer, or 0 if there is
// none.
func (s *Socket) RecvFrom(ctx context.Context, buf []byte, dontWait bool) (n int, id uint32, err error) {
	if s.typ != libzmq.Server && s.typ != libzmq.Peer {
		n, err = s.Recv(ctx, buf, dontWait)
		return n, 0, err
	}
	if ctx.Err() != nil {
		return 0, 0, ctx.Err()
	}
	s.mu.Lock()
	m := &s.first
	if s.in.pending() > 0 && s.state == stateOpen {
		m, id = s.in.nextFrom()
		s.stats.Received.part(m)
		s.handOver()
	} else {
		r := request{kind: recvFrom, dir: Recv, msg: m}
		if err := s.runLocked(ctx, &r, dontWait); err != nil {
			s.mu.Unlock()
			return 0, 0, err
		}
		id = r.id
	}
	copy(buf, m.Bytes())
	n = m.Len()
	s.donePart(m)
	return n, id, nil
}

// attemptRecvFrom receives the next message into r.msg. s.mu is held.
func (s *Socket) attemptRecvFrom(r *request, flags int) (rc, events int) {
	if s.in.pending() == 0 && s.in.ahead > 1 {
		if rc, events = s.in.fill(s.handle, flags); rc < 0 {
			return rc, events
		}
		flags &^= libzmq.WantEvents // the call has read them
	}
	if s.in.pending() > 0 {
		m, id := s.in.nextFrom()
		r.id = id
		handOut(r.msg, m)
		return 0, events | s.eventsFor(flags)
	}
	s.in.releaseAll()
	rc, events = libzmq.RecvFrom(s.handle, r.msg, &r.id, flags)
	return min(rc, 0), events
}

// RecvGroup is like Recv and also returns the group, or "" if there is none.
func (s *Socket) RecvGroup(ctx context.Context, buf []byte, dontWait bool) (n int, group string, err error) {
	if s.typ != libzmq.Dish {
		n, err = s.Recv(ctx, buf, dontWait)
		return n, "", err
	}
	if ctx.Err() != nil {
		return 0, "", ctx.Err()
	}
	s.mu.Lock()
	m := &s.first
	if s.in.pending() > 0 && s.state == stateOpen {
		m = s.in.next()
		group, _ = m.Group()
		s.stats.Received.part(m)
		s.handOver()
	} else {
		var name groupName
		r := request{kind: recvGroup, dir: Recv, msg: m, group: &name}
		if err := s.runLocked(ctx, &r, dontWait); err != nil {
			s.mu.Unlock()
			return 0, "", err
		}
		group = string(name.text[:name.n])
	}
	copy(buf, m.Bytes())
	n = m.Len()
	s.donePart(m)
	return n, group, nil
}

// attemptRecvGroup receives the next message into r.msg. A message that was read ahead
// needs another call into C for its group. s.mu is held.
func (s *Socket) attemptRecvGroup(r *request, flags int) (rc, events int) {
	if s.in.pending() > 0 || s.in.ahead > 1 {
		if rc, events = s.attemptRecv(r.msg, flags); rc == 0 {
			group, _ := r.msg.Group()
			r.group.n = copy(r.group.text[:], group)
		}
		return rc, events
	}
	s.in.releaseAll()
	rc, events, r.group.n = libzmq.RecvGroup(s.handle, r.msg, &r.group.text, flags)
	return min(rc, 0), events
}

// take makes the call into C for fill.
func (in *incoming) take(handle libzmq.Socket, flags int) (rc, events, whole int) {
	if !in.addressed {
		messages, bytes := in.room()
		return libzmq.RecvBatch(handle, in.msgs, 0, in.n, nil, messages, bytes, flags)
	}
	if len(in.ids) < len(in.msgs) {
		in.ids = make([]uint32, len(in.msgs))
	}
	rc, events, whole = libzmq.RecvAheadFrom(handle, in.msgs, in.n, in.ids, in.ahead, flags)
	in.known = max(rc, 0)
	return rc, events, whole
}

// nextFrom is like next, for a message with a routing id. It asks libzmq for the id only
// if the message was given back.
func (in *incoming) nextFrom() (*libzmq.Msg, uint32) {
	m := in.next()
	if i := in.head - 1; i < in.known {
		return m, in.ids[i]
	}
	return m, uint32(max(m.RoutingID(), 0))
}

// releaseAll releases the parts that were handed out. Nothing is pending.
func (in *incoming) releaseAll() {
	closeHeld(in.msgs[:in.n])
	in.head, in.n, in.known, in.more = 0, 0, 0, false
}
