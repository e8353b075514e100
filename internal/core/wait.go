package core

import (
	"context"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/park"
	"github.com/go-zmq/go-zmq/internal/watch"
)

// wait waits until the request succeeds or fails. The last attempt has returned EAGAIN.
func (s *held) wait(ctx context.Context, r *request) error {
	limit := s.limit[r.dir]
	if r.patient {
		limit = -1
	}
	if limit > 0 && r.deadline.IsZero() {
		r.deadline = time.Now().Add(limit)
	}
	if r.dir == Recv {
		if over, err := s.spinFirst(ctx, r, r.deadline); over {
			return err
		}
	}
	s.stats.Waits[r.dir]++
	return s.park(ctx, r, r.deadline)
}

// spinFirst tries to receive for a short time before the goroutine parks (package park).
// No wake-up depends on it (doc.go). It reports whether the receive is over. It releases
// the lock between two tries.
func (s *held) spinFirst(ctx context.Context, r *request, deadline time.Time) (over bool, err error) {
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
		var idle *watch.Watcher
		if s.watcher != nil && p.Settled() {
			idle = s.unwatch()
		}
		s.lock.Unlock()
		if idle != nil {
			idle.Close() // waits for the watcher, which waits for the lock
		}
		park.Yield()
		s.lock.Lock()
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

// tryAgain is try after the lock was released.
func (s *held) tryAgain(r *request) (rc int, err error) {
	if s.state != stateOpen {
		return 0, s.state.err()
	}
	rc = s.try(r)
	return rc, errorOf(rc)
}

// park waits until the request succeeds or has to be given up. It releases the lock while
// the goroutine is parked.
func (s *held) park(ctx context.Context, r *request, deadline time.Time) error {
	w := park.Get()
	defer w.Put()
	p := parking{w: w, crowded: r.dir == Send && s.crowd != nil}
	if p.crowded {
		r.keep()
		defer r.restore()
	}
	for {
		if s.state != stateOpen {
			return s.state.err()
		}
		// If it fails, the waiter tries again at intervals (limit). A thread-safe socket
		// may have no descriptor, or none may be left for the duplicate. A receiver may itself
		// have closed the last one, when it stopped watching (spinFirst).
		_ = s.watch()
		rest, ok := p.limit(s, deadline)
		if !ok {
			return ErrTimeout
		}
		reason, woken := p.sleep(s, r, ctx.Done(), rest)
		if s.state != stateOpen {
			return s.state.err()
		}
		if reason == park.Cancelled {
			switch { // R4
			case p.crowded:
				w.Next()
			case woken:
				s.notify(s.events())
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
	w       *park.Waiter
	crowded bool          // the waiter is one of the crowd
	pause   time.Duration // the last one, where the socket has to be looked at now and then
}

// limit returns for how long the goroutine may park; negative: until it is woken. It
// reports whether there is time left.
func (p *parking) limit(s *held, deadline time.Time) (rest time.Duration, ok bool) {
	rest = -1
	if !deadline.IsZero() {
		if rest = time.Until(deadline); rest <= 0 {
			return 0, false
		}
	}
	if !s.watched && !p.crowded { // tendCrowd sees to the crowd
		p.pause = min(max(2*p.pause, time.Millisecond), 10*time.Millisecond)
		if rest < 0 || p.pause < rest {
			rest = p.pause
		}
	}
	return rest, true
}

// sleep parks the goroutine. It returns the reason for its end, and whether another
// goroutine woke it and took it out of the list. It releases the lock in between.
func (p *parking) sleep(s *held, r *request, done <-chan struct{}, rest time.Duration) (reason park.Reason, woken bool) {
	if p.crowded {
		s.joinCrowd(p.w, r)
	} else {
		s.lists[r.dir].Push(p.w)
	}
	s.lock.Unlock()
	reason = p.w.Sleep(done, rest)
	s.lock.Lock()
	if p.crowded {
		return reason, s.crowd.Leave(p.w, reason)
	}
	return reason, s.lists[r.dir].Leave(p.w, reason)
}

// retry tries again after the goroutine was parked.
func (p *parking) retry(s *held, r *request) (rc int, err error) {
	var began time.Time
	if p.crowded {
		began = time.Now()
	}
	rc, err = s.retry(r)
	if p.crowded {
		s.judge(p.w, rc, time.Since(began))
	}
	return rc, err
}

func (s *held) retry(r *request) (rc int, err error) {
	if s.udp && r.dir == Send {
		if err := s.check(r); err != nil { // connected to udp meanwhile
			return 0, err
		}
	}
	rc = s.try(r)
	if rc < 0 && s.state == stateOpen && s.full != FullDrop && r.dir == Send {
		var fails bool
		if rc, fails = s.noRoom(r, rc, false); fails { // the policy is another one now
			return 0, s.refuse(syscall.EAGAIN)
		}
	}
	return rc, errorOf(rc)
}
