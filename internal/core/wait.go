package core

import (
	"context"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/park"
)

// Direction is the direction of an operation.
type Direction uint8

const (
	Recv Direction = iota // wait for a message to receive
	Send                  // wait for room to send
)

// wait waits until the request succeeds or fails. s.mu is held, and the last attempt
// returned EAGAIN.
func (s *Socket) wait(ctx context.Context, r *request) error {
	limit := s.limit[r.dir]
	if r.patient {
		limit = -1
	}
	var deadline time.Time
	if limit > 0 {
		deadline = time.Now().Add(limit)
	}
	if r.dir == Recv {
		if over, err := s.spinFirst(ctx, r, deadline); over {
			return err
		}
	}
	s.stats.Waits[r.dir]++
	return s.park(ctx, r, deadline)
}

// spinFirst tries to receive for a short time before the goroutine parks (package park). No
// wake-up depends on it (doc.go). It reports whether the receive is over. s.mu is held, but not between two tries.
func (s *Socket) spinFirst(ctx context.Context, r *request, deadline time.Time) (over bool, err error) {
	got := s.stats.Received.Messages - s.lastWait
	s.lastWait += got
	if s.spinTime < 0 && (s.spin.Active() || s.lists[Recv].Len() > 0) {
		return false, nil // another goroutine spins, or waits already
	}
	p := &s.spin
	if s.spinTime >= 0 {
		p = new(park.Spin) // for this call only
	}
	for p.Again(s.spinTime, got) {
		var file *followed
		if s.fd != nil && p.Settled() {
			file = s.unwatch()
		}
		s.mu.Unlock()
		if file != nil {
			file.Close() // waits for the watcher, which waits for s.mu
		}
		park.Yield()
		s.mu.Lock()
		rc, err := s.tryAgain(r)
		switch {
		case rc != again && err == nil:
			p.Found()
			return true, nil
		case rc != again: // the error says why
		case ctx.Err() != nil:
			err = ctx.Err()
		case !deadline.IsZero() && time.Now().After(deadline):
			p.InVain()
			err = ErrTimeout
		default:
			continue
		}
		if rc == again {
			s.stats.Waits[r.dir]++ // as if it had parked
		}
		p.Stop()
		return true, err
	}
	return false, nil
}

// tryAgain is try after s.mu was released.
func (s *Socket) tryAgain(r *request) (rc int, err error) {
	if s.state != stateOpen {
		return 0, s.state.err()
	}
	rc = s.try(r)
	return rc, errorOf(rc)
}

// park waits until the request succeeds or has to be given up. s.mu is held, but not while
// the goroutine is parked.
func (s *Socket) park(ctx context.Context, r *request, deadline time.Time) error {
	w := park.Get()
	defer w.Put()
	p := parking{w: w}
	for {
		if s.state != stateOpen {
			return s.state.err()
		}
		// If it fails, the waiter tries again at intervals (mustRetry). A thread-safe socket
		// may have no descriptor, or none may be left for the duplicate. A receiver may itself
		// have closed the last one, when it stopped watching (spinFirst).
		_ = s.watch()
		rest, ok := p.limit(s, r, deadline)
		if !ok {
			return ErrTimeout
		}
		reason, woken := s.parkIn(&s.lists[r.dir], w, ctx.Done(), rest)
		if s.state != stateOpen {
			return s.state.err()
		}
		if reason == park.Cancelled {
			if woken {
				s.notify(s.events()) // R4
			}
			return ctx.Err()
		}
		// After the deadline, try once more, because a message is better than an error.
		if rc, err := p.retry(s, r); rc != again {
			return err
		}
	}
}

// parking is the state of a call that parks repeatedly.
type parking struct {
	w     *park.Waiter
	pause time.Duration // the last one, where the socket has to be looked at now and then
	held  blockedSend
}

// limit returns for how long the goroutine may park; negative: until it is woken. It
// reports whether there is time left. s.mu is held.
func (p *parking) limit(s *Socket, r *request, deadline time.Time) (rest time.Duration, ok bool) {
	rest = -1
	if !deadline.IsZero() {
		if rest = time.Until(deadline); rest <= 0 {
			return 0, false
		}
	}
	if s.mustRetry(r.dir) {
		p.pause = min(max(2*p.pause, time.Millisecond), 10*time.Millisecond)
		if rest < 0 || p.pause < rest {
			rest = p.pause
		}
	}
	if p.held.may(s, r) && (rest < 0 || rest > p.held.pause) {
		rest = p.held.pause
	}
	return rest, true
}

// parkIn parks the goroutine in a list. It returns the reason for its end, and whether another
// goroutine woke it and took it out of the list. s.mu is held at the call and at the return, and
// released in between.
func (s *Socket) parkIn(list *park.List, w *park.Waiter, done <-chan struct{}, rest time.Duration) (reason park.Reason, woken bool) {
	list.Push(w)
	s.mu.Unlock()
	reason = w.Sleep(done, rest)
	s.mu.Lock()
	return reason, list.Leave(w, reason)
}

// retry tries again after the goroutine was parked. s.mu is held.
func (p *parking) retry(s *Socket, r *request) (rc int, err error) {
	if s.udp && r.dir == Send {
		if err := s.check(r); err != nil { // connected to udp meanwhile
			return 0, err
		}
	}
	rc = s.try(r)
	if rc == again && s.state == stateOpen && p.held.may(s, r) {
		rc = p.held.takeOut(s, r)
	}
	if rc == again && s.state == stateOpen && s.full != FullDrop && r.dir == Send {
		var fails bool
		if rc, fails = s.noRoom(r, false); fails { // the policy is another one now
			return 0, syscall.EAGAIN
		}
	}
	return rc, errorOf(rc)
}

// mustRetry reports whether a waiter must try again at intervals, because no descriptor is
// watched, or because another goroutine may consume its signal unnoticed.
func (s *Socket) mustRetry(dir Direction) bool {
	return !s.watched || dir == Send && s.flags&libzmq.Inexact != 0 && !seesThefts
}
