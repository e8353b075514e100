package core

import (
	"context"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// WaitSubscriptions waits until the peers hold at least the given number of
// subscriptions.
func (s *Socket) WaitSubscriptions(ctx context.Context, subscriptions int) error {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := h.countable(); err != nil {
			return err
		}
		n := h.subs
		rc := h.takeSubscriptions()
		if h.in.Ready() {
			h.lists[Recv].WakeFirst() // R6
		}
		if n.count >= subscriptions {
			return nil
		}
		if rc > 0 { // there are more
			h.giveWay()
			continue
		}
		if err := h.watch(); err != nil {
			return err
		}
		changed := n.changed.Next()
		n.waiting++
		s.lock.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		h = s.lock.Lock()
		n.waiting--
	}
}

// countable returns an error if the subscriptions cannot be counted.
func (s *held) countable() error {
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
