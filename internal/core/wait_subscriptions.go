package core

import (
	"context"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// WaitSubscriptions waits until the peers hold at least the given number of
// subscriptions.
func (s *Socket) WaitSubscriptions(ctx context.Context, subscriptions int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.countable(); err != nil {
			return err
		}
		n := s.subs
		rc := s.takeSubscriptions()
		if s.in.Ready() {
			s.lists[Recv].WakeFirst() // R6
		}
		if n.count >= subscriptions {
			return nil
		}
		if rc > 0 { // there are more
			s.giveWay()
			continue
		}
		if err := s.watch(); err != nil {
			return err
		}
		changed := n.changed.Next()
		n.waiting++
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		s.mu.Lock()
		n.waiting--
	}
}

// countable returns an error if the subscriptions cannot be counted. s.mu is held.
func (s *Socket) countable() error {
	n := s.subs
	switch {
	case s.state != stateOpen:
		return s.state.err()
	case n == nil && s.typ != libzmq.Pub && s.typ != libzmq.XPub:
		return fault.New(syscall.ENOTSUP, "only PUB and XPUB sockets have subscribers")
	case n == nil:
		return fault.New(syscall.ENOTSUP, "the socket does not track subscriptions; pass TrackSubscriptions.To(true) to NewSocket, and do not use an XPUB in a proxy or with XPubManual, XPubVerbose or XPubVerboser")
	}
	return nil
}

// counting returns the number of calls that wait for subscriptions. s.mu is held.
func (s *Socket) counting() int {
	if s.subs == nil {
		return 0
	}
	return s.subs.waiting
}

// tendFor bounds the time that the watchdog spends on one PUB. Other goroutines can use
// the PUB in between.
const tendFor = 50 * time.Millisecond

// tend counts a PUB's subscriptions at intervals for the watchdog. s.mu is held.
func (s *Socket) tend() {
	if s.receives() {
		return
	}
	for end := time.Now().Add(tendFor); s.state == stateOpen && s.takeSubscriptions() > 0 && time.Now().Before(end); {
		s.giveWay()
	}
}
