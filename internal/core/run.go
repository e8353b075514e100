package core

import (
	"context"
	"runtime"
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
	if s.udp && r.dir == Send {
		if err := s.datagrams(r); err != nil {
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
	return s.plain && s.state == stateOpen && !s.naps.taken &&
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
	if s.naps.taken {
		s.naps.shared = true
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
			s.count(r)
			if events == 0 && lockStep(s.typ) && s.waiting() > 0 {
				events = s.events() // R8
			}
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

// Before it parks, a receiver gives way a few times and looks again, unless its last naps
// were good or it spins (nap.go), or the machine is busy with others (yield.go): the
// message often arrives within the microseconds that parking a thread and waking it would
// cost. As multiples of the same loop in C, medians of interleaved runs on two
// cores: PUSH to PULL of 64 bytes 1.46 with one look, 1.36 with three; ROUTER to
// ROUTER of 64 bytes 1.29 and 1.27, of 64 KiB 1.71 and 1.24; a round trip over tcp
// about 0.5 with either. Without a look the round trip took a third longer; with
// ten it suffers when other processes want the cores.
const spins = 3

// wait waits until the request succeeds. s.mu is held, and the last attempt said
// again.
func (s *Socket) wait(ctx context.Context, r *request) error {
	limit := s.limit[r.dir]
	if r.patient {
		limit = -1
	}
	var deadline time.Time
	if limit > 0 {
		deadline = time.Now().Add(limit)
	}
	if rc, err := s.outlast(ctx, r, deadline); rc != again {
		return err
	}
	if r.dir == Recv && s.spinTime != 0 {
		if rc, err := s.spinFirst(ctx, r, deadline); rc != again {
			return err
		}
	} else {
		s.stats.Waits[r.dir]++
	}
	return s.park(ctx, r, deadline)
}

// spinFirst tries to receive for a short time before the goroutine parks. s.mu is held,
// but not between two tries.
func (s *Socket) spinFirst(ctx context.Context, r *request, deadline time.Time) (rc int, err error) {
	if s.spinTime > 0 {
		for began := time.Now(); time.Since(began) < s.spinTime && ctx.Err() == nil; {
			s.mu.Unlock()
			Yield()
			runtime.Gosched()
			s.mu.Lock()
			if rc, err = s.tryAgain(r); rc != again {
				return rc, err
			}
			if !deadline.IsZero() && time.Now().After(deadline) {
				break
			}
		}
		s.stats.Waits[r.dir]++
		return again, nil
	}
	naps := s.mayNap(deadline)
	for n := 0; n < spins && !(naps && (s.naps.good > 0 || s.spinsNext())); n++ {
		s.mu.Unlock()
		took := Yield()
		s.mu.Lock()
		if rc, err = s.tryAgain(r); rc != again {
			return rc, err
		}
		if YieldedInVain(took) {
			break
		}
	}
	s.stats.Waits[r.dir]++
	if naps {
		rc = s.nap(r, deadline)
		return rc, errorOf(rc)
	}
	return again, nil
}

// tryAgain is try after s.mu was released.
func (s *Socket) tryAgain(r *request) (rc int, err error) {
	if s.state != stateOpen {
		return 0, s.state.err()
	}
	rc = s.try(r)
	return rc, errorOf(rc)
}

// park waits until somebody wakes the goroutine and the request succeeds. s.mu is held.
func (s *Socket) park(ctx context.Context, r *request, deadline time.Time) error {
	done := ctx.Done()
	w := waiters.Get().(*waiter)
	defer waiters.Put(w)
	var held blockedSend
	for pause := time.Duration(0); ; {
		if s.state != stateOpen {
			return s.state.err()
		}
		if rc, err := s.outlast(ctx, r, deadline); rc != again {
			return err
		}
		list := s.listFor(r.dir)
		if err := s.watchIfCan(); err != nil {
			return err
		}
		rest := time.Duration(-1)
		if !deadline.IsZero() {
			if rest = time.Until(deadline); rest <= 0 {
				return ErrTimeout
			}
		}
		if s.mustRetry(list) {
			pause = min(max(2*pause, time.Millisecond), 10*time.Millisecond)
			if rest < 0 || pause < rest {
				rest = pause
			}
		}
		if held.may(s, r) && (rest < 0 || rest > held.pause) {
			rest = held.pause
		}
		list.push(w)
		s.mu.Unlock()
		woken := w.sleep(done, rest)
		s.mu.Lock()

		taken := w.list == nil // somebody woke us, if only just now
		if taken {
			list.woken--
			if woken != wakeReady {
				<-w.ready
			}
		} else {
			list.remove(w)
		}
		if s.state != stateOpen {
			return s.state.err()
		}
		if woken == wakeContext {
			if taken {
				s.notify(s.events()) // R4
			}
			return ctx.Err()
		}
		if s.udp && r.dir == Send {
			if err := s.datagrams(r); err != nil { // connected to udp meanwhile
				return err
			}
		}
		// A deadline that has passed gets a last look, too: a message that is
		// there is better than an error.
		rc := s.try(r)
		if rc == again && s.state == stateOpen && held.may(s, r) {
			rc = held.takeOut(s, r)
		}
		if rc == again && s.state == stateOpen && s.full != FullDrop && r.dir == Send {
			var fails bool
			if rc, fails = s.noRoom(r, false); fails { // the policy is another one now
				return syscall.EAGAIN
			}
		}
		if rc != again {
			return errorOf(rc)
		}
	}
}

// listFor returns the list in which a waiter of one direction waits.
func (s *Socket) listFor(dir Direction) *waiterList {
	if dir == Send && s.flags&libzmq.Inexact != 0 {
		return &s.inexact
	}
	return &s.lists[dir]
}

// mustRetry reports whether a waiter has to look again by itself now and then:
// no descriptor tells it, or thefts of its signal are not seen.
func (s *Socket) mustRetry(list *waiterList) bool {
	return !s.watched || (list == &s.inexact && !seesThefts)
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
