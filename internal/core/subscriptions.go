package core

import (
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/peertable"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// subscriptions counts the subscriptions of the peers of a PUB or XPUB that tracks them.
//
// libzmq reports subscriptions only to XPUB sockets, which otherwise behave like PUB. So
// a tracking PUB is an XPUB inside libzmq. Both report every subscription and its end
// (ZMQ_XPUB_VERBOSER). Only this file receives from them. It drops the reports of a PUB
// and keeps those of an XPUB for its user.
type subscriptions struct {
	pub bool // of a PUB

	count   int
	sends   uint8
	behind  bool // of a PUB: more reports were left after one call
	waiting int
	changed peertable.Change // of the count, or the end of the socket
}

// openSocket creates the handle of a socket.
func (c *Context) openSocket(socketType int, track bool) (libzmq.Socket, int) {
	opened, option, value := socketType, 0, 1
	switch {
	case track:
		opened, option = libzmq.XPub, libzmq.OptXPubVerboser
	case rules.Type(socketType).Subscribes():
		// When a queue is full, libzmq drops the subscription and reports success.
		option, value = libzmq.OptSendHWM, 0
	}
	handle, rc := libzmq.OpenSocket(c.handle, opened)
	if rc == 0 && option != 0 {
		libzmq.SetOption(handle, option, rules.Int(value))
	}
	return handle, rc
}

// TracksSubscriptions reports whether the socket counts its peers' subscriptions.
func (s *Socket) TracksSubscriptions() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.subs != nil
}

// receives reports whether the user can receive anything. The subscriptions of a tracking
// PUB are not for the user.
func (s *Socket) receives() bool { return s.typ != libzmq.Pub || s.subs == nil }

// visible returns those of the socket's events that concern the user.
func (s *Socket) visible(events int) int {
	if s.receives() {
		return events
	}
	return events &^ libzmq.EventIn
}

// beforeSend counts a PUB's subscriptions every 256 sends, when the counter wraps, so
// that they do not accumulate inside libzmq. While more reports are left than one call
// takes, it counts them before each send. s.mu is held.
func (s *Socket) beforeSend() {
	if n := s.subs; n.pub {
		if n.sends++; n.sends == 0 || n.behind {
			s.takeSubscriptions()
		}
	}
}

// attemptSubscribed prepares a receive from a PUB or an XPUB and checks whether there is
// a message. If done is false, the receive continues like on other sockets. s.mu is held.
func (s *Socket) attemptSubscribed(r *request, flags int) (rc, events int, done bool) {
	switch {
	case r.looks || s.in.Held() > 0:
		return 0, 0, false
	case s.subs.pub:
		return -int(syscall.ENOTSUP), 0, true
	}
	if rc = s.takeOne(); rc > 0 {
		return 0, 0, false
	}
	// Do not receive from libzmq without counting: a message may have arrived just now.
	if flags&libzmq.WantEvents != 0 {
		events = libzmq.Events(s.handle)
	}
	return rc, events, true
}

// mostSubscriptions is the number of messages that are counted under one hold of the
// socket's mutex. It keeps a peer that floods the socket from stopping other calls for
// long. For a PUB, C drops the messages, and one call into C takes all that arrive within
// a millisecond.
const mostSubscriptions = 1 << 8

// takeSubscriptions counts the reports that libzmq has received, and keeps those for the
// user. It returns the reason why there are no more, usually -EAGAIN, or a positive
// number if there may be more. s.mu is held.
func (s *Socket) takeSubscriptions() (rc int) {
	n := s.subs
	if !n.pub {
		for range mostSubscriptions {
			if rc = s.takeOne(); rc <= 0 {
				break
			}
		}
		return rc
	}
	var change int64
	rc, change = libzmq.CountSubscriptions(s.handle)
	n.behind = rc > 0
	if rc > 0 || change != 0 {
		s.wakeups++
	}
	n.add(int(change))
	s.touch()
	return rc
}

// takeOne receives a message of an XPUB, counts it, and keeps it for the user. It returns
// a positive number if there was a message.
func (s *Socket) takeOne() int {
	parts := s.takeIn(s.flags)
	if parts <= 0 {
		return parts
	}
	s.touch()
	if first := s.in.Last(parts)[0].Bytes(); parts == 1 && len(first) > 0 && first[0] <= 1 {
		s.subs.add(2*int(first[0]) - 1)
	}
	return parts
}

// add changes the count.
func (n *subscriptions) add(change int) {
	if change != 0 {
		n.count = max(n.count+change, 0)
		n.changed.Wake()
	}
}

// untrack ends the tracking of an XPUB. restore also ends ZMQ_XPUB_VERBOSER. s.mu is held.
func (s *Socket) untrack(restore bool) {
	if s.subs == nil || s.subs.pub {
		return
	}
	s.subs.changed.Wake()
	s.subs = nil
	if restore {
		libzmq.SetOption(s.handle, libzmq.OptXPubVerboser, rules.Int(0))
	}
}
