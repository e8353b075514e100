package core

import (
	"context"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// run carries out a request: at once if libzmq can, else it waits, unless the
// caller does not want that.
func (s *Socket) run(ctx context.Context, r *request, dontWait bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	err := s.runLocked(ctx, r, dontWait)
	s.mu.Unlock()
	return err
}

// runLocked is run with s.mu held; it releases it while it waits.
func (s *Socket) runLocked(ctx context.Context, r *request, dontWait bool) error {
	if s.state != stateOpen {
		if r.dir == Recv {
			s.in.more = false // a loop that asks only for More ends, too
		}
		return s.state.err()
	}
	if !s.plain && r.dir == Send {
		if err := s.check(r); err != nil {
			return err
		}
	}
	return s.conclude(ctx, r, s.try(r), dontWait)
}

// conclude completes runLocked after try: it waits if there is to be a wait.
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

// straight reports whether a send or receive needs nothing but its shim: no rule of the
// socket's type and settings applies, and nobody is to be woken after it. s.mu is held.
func (s *Socket) straight(dir Direction) bool {
	return s.plain && s.state == stateOpen &&
		s.lists[dir].n+s.inexact.n == 0 && (s.lists[1-dir].n == 0 || s.duplex)
}

// classify notes whether the socket's type and settings have rules of their own. s.mu is
// held.
func (s *Socket) classify() {
	s.plain = s.typ < libzmq.Stream && s.typ != libzmq.XSub && s.subs == nil &&
		!s.udp && !s.raw && !s.touching && !s.conflates.Load() && !s.in.oversized
	s.duplex = seesThefts && !lockStep(s.typ)
}

// try makes attempts until one succeeds, fails, or says again for certain (R1).
// It wakes whom the events allow.
func (s *Socket) try(r *request) int {
	if s.straight(r.dir) {
		rc, events := s.attempt(r, s.shimFlags())
		if rc >= 0 && events == 0 {
			s.count(r)
			return rc
		}
		return s.resolve(r, rc, events)
	}
	if s.in.oversized && r.dir == Recv && s.in.pending() == 0 {
		s.in.shrink()
		s.classify()
	}
	closes := s.raw && r.closesPeer()
	if closes && s.typ == libzmq.Stream {
		libzmq.Events(s.handle) // libzmq learns of a peer that hung up: it is counted once
	}
	rc, events := s.attemptRare(r)
	rc = s.resolve(r, rc, events)
	if closes {
		s.attend()
	}
	return rc
}

// resolve completes try after its first attempt.
func (s *Socket) resolve(r *request, rc, events int) int {
	for round := 0; ; round++ {
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
		if events != 0 || s.lists[Recv].n > 0 && s.in.ready() {
			s.notify(events)
		}
		if rc != again || s.state != stateOpen || !s.mistaken(r.dir, events) {
			return rc
		}
		if s.subs != nil && r.dir == Recv && round == mostRounds {
			s.subs.flooded = true
			return again
		}
		// The attempt failed and yet the events say that it can succeed: what was
		// there came or went meanwhile. Never wait on that; look again.
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
	if events == 0 && lockStep(s.typ) && s.waiting() > 0 {
		return s.events() // R8
	}
	return events
}

// mostRounds is how often try looks again at subscriptions that keep coming, none of which
// is for the user: the caller may not want to wait, or no longer.
const mostRounds = 4

// outlast goes on where try gave up: as long as subscriptions keep coming nobody else
// would wake the caller. again: they do not any more. s.mu is held.
func (s *Socket) outlast(ctx context.Context, r *request, deadline time.Time) (rc int, err error) {
	for s.subs != nil && r.dir == Recv && s.subs.flooded {
		switch {
		case s.state != stateOpen:
			return 0, s.state.err()
		case ctx.Err() != nil:
			s.notify(s.events()) // R4
			return 0, ctx.Err()
		case !deadline.IsZero() && time.Now().After(deadline):
			s.notify(s.events())
			return 0, ErrTimeout
		}
		s.giveWay()
		s.subs.flooded = false
		if s.state != stateOpen {
			return 0, s.state.err()
		}
		if rc := s.try(r); rc != again {
			return rc, errorOf(rc)
		}
	}
	if s.state != stateOpen { // since: nobody would wake the caller
		return 0, s.state.err()
	}
	return again, nil
}

func (s *Socket) mistaken(dir Direction, events int) bool {
	if dir == Recv {
		return events&libzmq.EventIn != 0
	}
	return events&libzmq.EventOut != 0 && s.flags&libzmq.Inexact == 0
}

// waiting returns the number of goroutines that wait.
func (s *Socket) waiting() int {
	return s.lists[Recv].n + s.lists[Send].n + s.inexact.n + s.counting()
}

// notify wakes the first waiter of each direction in which the socket's events
// allow to go on. s.mu is held.
func (s *Socket) notify(events int) {
	if events&libzmq.EventTerm != 0 {
		s.stop(stateTerminated)
		return
	}
	if s.counting() > 0 {
		s.takeSubscriptions()
	}
	if !s.receives() {
		events &^= libzmq.EventIn
	}
	// What was read ahead waits here, not in libzmq.
	if events&libzmq.EventIn != 0 || s.in.ready() {
		s.lists[Recv].wakeFirst()
	}
	if events&libzmq.EventOut != 0 {
		s.lists[Send].wakeFirst()
	}
}

// stop makes the socket unusable and wakes everybody who waits for it. s.mu is
// held.
func (s *Socket) stop(st state) {
	if s.state == stateOpen && s.done != nil {
		close(s.done)
	}
	s.state = st
	s.lists[Recv].wakeAll()
	s.lists[Send].wakeAll()
	s.inexact.wakeAll()
	if st == stateTerminated {
		for _, o := range s.observers {
			o.Stopped(false, true)
		}
	}
	s.links.end()
	if s.subs != nil {
		s.subs.wake()
	}
}

// Waiting returns the number of goroutines that wait for the socket.
func (s *Socket) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting()
}
