package core

import (
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/rules"
)

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
	h := s.lock.Lock()
	defer s.lock.Unlock()
	return h.subs != nil
}

// receives reports whether the user can receive anything. The subscriptions of a tracking
// PUB are not for the user.
func (s *held) receives() bool { return s.typ != libzmq.Pub || s.subs == nil }

// visible returns those of the socket's events that concern the user.
func (s *held) visible(events int) int {
	if s.receives() {
		return events
	}
	return events &^ libzmq.EventIn
}

// beforeSend counts a PUB's subscriptions every 256 sends, when the counter wraps, so that
// they do not accumulate inside libzmq. While more reports are left than one call takes,
// it counts them before each send.
func (s *held) beforeSend() {
	if n := s.subs; n.pub {
		if n.sends++; n.sends == 0 || n.behind {
			s.takeSubscriptions()
		}
	}
}

// attemptSubscribed prepares a receive from a PUB or an XPUB and checks whether there is a
// message. If done is false, the receive continues like on other sockets.
func (s *held) attemptSubscribed(r *request, flags int) (rc, events int, done bool) {
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
// user. It returns the reason why there are no more, usually -EAGAIN, or a positive number
// if there may be more.
func (s *held) takeSubscriptions() (rc int) {
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
func (s *held) takeOne() int {
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

// untrack ends the tracking of an XPUB. restore also ends ZMQ_XPUB_VERBOSER.
func (s *held) untrack(restore bool) {
	if s.subs == nil || s.subs.pub {
		return
	}
	s.subs.changed.Wake()
	s.subs = nil
	if restore {
		libzmq.SetOption(s.handle, libzmq.OptXPubVerboser, rules.Int(0))
	}
}

// counting returns the number of calls that wait for subscriptions.
func (s *held) counting() int {
	if s.subs == nil {
		return 0
	}
	return s.subs.waiting
}

// tendFor bounds the time that the watchdog spends on one PUB. Other goroutines can use
// the PUB in between.
const tendFor = 50 * time.Millisecond

// tend counts a PUB's subscriptions at intervals for the watchdog.
func (s *held) tend() {
	if s.receives() {
		return
	}
	for end := time.Now().Add(tendFor); s.state == stateOpen && s.takeSubscriptions() > 0 && time.Now().Before(end); {
		s.giveWay()
	}
}
