package core

import (
	"context"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// do makes an operation: it tries once and, if that fails with EAGAIN, waits, unless
// dontWait is set. r is nil for a single part, which is a send of part or, if it is not
// nil, of m, or a receive into m. Such an operation becomes a request only when the first
// try has failed. It releases the lock while the goroutine waits.
func (s *held) do(ctx context.Context, dir Direction, part []byte, m *libzmq.Msg, r *request, dontWait bool) error {
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
func (s *held) doRare(ctx context.Context, dir Direction, part []byte, m *libzmq.Msg, r *request, dontWait bool) error {
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
func (s *held) conclude(ctx context.Context, r *request, rc int, dontWait bool) error {
	if rc < 0 && s.full != FullDrop && r.dir == Send {
		rc, dontWait = s.noRoom(r, rc, dontWait)
	}
	if rc != again {
		return errorOf(rc)
	}
	if s.state != stateOpen {
		return s.state.err()
	}
	if r.dir == Send && !r.looks {
		return s.concludeSend(ctx, r, dontWait)
	}
	switch {
	case dontWait:
		s.stats.Blocked[r.dir]++
		return syscall.EAGAIN
	case s.limit[r.dir] == 0 && !r.patient:
		return ErrTimeout
	}
	return s.wait(ctx, r)
}

// concludeSend is conclude for a send without room. Its error says why there was none.
func (s *held) concludeSend(ctx context.Context, r *request, dontWait bool) error {
	noPeer := uint64(0)
	if s.connected() == 0 {
		noPeer = 1
	}
	switch {
	case dontWait:
		s.stats.Blocked[Send]++
		s.stats.BlockedNoPeer += noPeer
		return s.refuse(syscall.EAGAIN)
	case s.limit[Send] == 0 && !r.patient:
		return s.refuse(ErrTimeout)
	}
	s.stats.WaitsNoPeer += noPeer
	return s.refuseTimed(s.wait(ctx, r), ctx.Err())
}
