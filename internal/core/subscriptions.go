package core

import (
	"encoding/binary"
	"slices"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// subscriptions counts the subscriptions of the peers of a PUB or XPUB that tracks them.
//
// libzmq reports subscriptions only to XPUB sockets, which otherwise behave like PUB. So
// a tracking PUB is an XPUB inside libzmq that reports every subscription and its end
// (ZMQ_XPUB_VERBOSER). Only this file receives from it.
//
// By default, libzmq reports to an XPUB only the first subscription to each topic. A
// tracking XPUB reports all of them (ZMQ_XPUB_VERBOSE, which still reports only the last
// end of a topic). This file drops the reports that are not for the user. It cannot do
// that for a caller that reads libzmq's own events or receives from the handle. Before
// these uses, settle restores libzmq's own behavior.
type subscriptions struct {
	flooded bool // a receive ended before all were counted (run.go)
	pub     bool // of a PUB
	filter  bool // of an XPUB: drop reports that are not for the user
	manual  bool // of an XPUB: options apply to the message received last
	passed  bool // of an XPUB: a proxy receives them

	verboser bool // of an XPUB: libzmq reports every end, not only the last of a topic

	count   int
	topics  map[string]int // of an XPUB: the subscriptions counted for each topic
	size    int            // approximate memory of topics in bytes
	full    bool           // topics took too much memory, and counting has ended
	scratch [4]libzmq.Msg

	sends    uint8
	behind   bool // of a PUB: more reports were left after one call
	waiting  int
	changed  chan struct{} // closed when the count changes or the socket ends
	reported bool          // since the last look of the watchdog
}

// openSocket creates the handle of a socket.
func (c *Context) openSocket(socketType int, track bool) (libzmq.Socket, int) {
	opened, option, value := socketType, 0, 1
	switch {
	case track && socketType == libzmq.Pub:
		opened, option = libzmq.XPub, libzmq.OptXPubVerboser
	case track && socketType == libzmq.XPub:
		option = libzmq.OptXPubVerbose
	case subscribes(socketType):
		// When a queue is full, libzmq drops the subscription and reports success.
		option, value = libzmq.OptSendHWM, 0
	}
	handle, rc := libzmq.OpenSocket(c.handle, opened)
	if rc == 0 && option != 0 {
		libzmq.SetOption(handle, option, intValue(value))
	}
	return handle, rc
}

func intValue(v int) []byte {
	return binary.NativeEndian.AppendUint32(nil, uint32(int32(v)))
}

func newSubscriptions(socketType int) *subscriptions {
	if socketType == libzmq.Pub {
		return &subscriptions{pub: true}
	}
	return &subscriptions{filter: true, topics: map[string]int{}}
}

// TracksSubscriptions reports whether the socket counts its peers' subscriptions.
func (s *Socket) TracksSubscriptions() bool { return s.subs != nil }

// receives reports whether the user can receive anything. The subscriptions of a tracking
// PUB are not for the user.
func (s *Socket) receives() bool { return s.subs == nil || !s.subs.pub }

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
	switch n := s.subs; {
	case n.pub && r.kind != waitOnly:
		return -int(syscall.ENOTSUP), 0, true
	case n.pub:
		events = libzmq.Events(s.handle)
		rc = -int(syscall.EAGAIN)
		if events&libzmq.EventTerm != 0 {
			rc = -libzmq.ETERM
		}
		return rc, events &^ libzmq.EventIn, true
	case n.manual:
		return 0, 0, false
	}
	if s.in.pending() > 0 {
		return 0, 0, false
	}
	// Take the messages one by one, until one is for the user.
	for range mostSubscriptions {
		if rc = s.takeOne(); rc <= 0 || s.in.pending() > 0 {
			break
		}
	}
	if s.in.pending() > 0 {
		return 0, 0, false
	}
	if rc > 0 { // none is for the user so far: try calls again
		return again, libzmq.EventIn, true
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
	if n.manual {
		return again
	}
	if n.pub {
		var change int64
		rc, change = libzmq.CountSubscriptions(s.handle)
		n.behind = rc > 0
		n.reported = n.reported || rc > 0 || change != 0
		if change != 0 {
			n.count = max(n.count+int(change), 0)
			n.wake()
		}
		s.touch()
		return rc
	}
	for range mostSubscriptions {
		if rc = s.takeOne(); rc <= 0 {
			break
		}
	}
	return rc
}

// takeOne receives a message of an XPUB, counts it, and keeps it if it is for the user.
// It returns a positive number if there was a message.
func (s *Socket) takeOne() (rc int) {
	n := s.subs
	if rc, _ = libzmq.Recv(s.handle, &n.scratch[0], n.scratch[1:], 0, s.flags); rc <= 0 {
		return rc
	}
	s.touch()
	parts := n.scratch[:rc]
	if rc == len(n.scratch) && parts[rc-1].More() {
		all := slices.Clone(parts)
		clear(parts) // moved
		for have := len(all); all[have-1].More(); all = all[:have] {
			if rc = grow(s.handle, &all, s.flags); rc < 0 {
				return rc // a shutdown: all parts are released
			}
			have += rc
		}
		parts = all
	}
	before := n.count
	if n.note(parts) {
		s.in.add(parts)
	} else {
		libzmq.CloseMsgs(parts)
	}
	if n.count != before {
		n.wake()
	}
	if n.size > mostTopicMemory && !n.full {
		s.stopCounting()
	}
	return 1
}

// mostTopicMemory bounds the memory that an XPUB uses for topics, because its peers
// choose their number and length. It is enough for 400,000 topics of 20 bytes.
const mostTopicMemory = 32 << 20

// topicMemory returns the memory that one topic takes: its bytes, and a string and a
// count in the map.
func topicMemory(topic []byte) int { return len(topic) + 64 }

// stopCounting drops the topics of an XPUB that has too many. From then on libzmq decides
// which subscriptions are reported, as after settle. s.mu is held.
func (s *Socket) stopCounting() {
	n := s.subs
	n.full = true
	s.settle() // filters the earlier reports without adding topics
	n.topics, n.size, n.count = nil, 0, 0
	n.wake()
}

// note counts a message if it is a subscription or its end. It reports whether the
// message is for the user.
func (n *subscriptions) note(parts []libzmq.Msg) bool {
	if len(parts) != 1 || parts[0].Len() == 0 {
		return true
	}
	text := parts[0].Bytes()
	if text[0] > 1 {
		return true
	}
	topic := text[1:]
	have := n.topics[string(topic)]
	if text[0] == 1 {
		if have == 0 {
			if n.full {
				return true
			}
			n.size += topicMemory(topic)
		}
		n.topics[string(topic)]++
		n.count++
		return have == 0 || !n.filter
	}
	ended := have // it was the last subscription to the topic
	if n.verboser {
		ended = min(have, 1)
	}
	n.count -= ended
	switch {
	case have == 0:
	case have == ended:
		delete(n.topics, string(topic))
		n.size -= topicMemory(topic)
	default:
		n.topics[string(topic)] = have - ended
	}
	return true
}

// wake wakes all goroutines that wait for the count. s.mu is held.
func (n *subscriptions) wake() {
	if n.changed != nil {
		close(n.changed)
		n.changed = nil
	}
}

// settle lets libzmq itself decide what an XPUB reports. It is needed before a use that
// bypasses this package: a poller that asks libzmq, a proxy that receives from the
// handle, or a user that sets the options. s.mu is held.
func (s *Socket) settle() {
	if n := s.subs; n != nil && n.filter && s.state == stateOpen {
		s.takeReported()
		n.filter = false
		libzmq.SetOption(s.handle, libzmq.OptXPubVerbose, intValue(0))
	}
}

// takeReported counts what libzmq has reported so far. s.mu is held.
func (s *Socket) takeReported() {
	for range mostSubscriptions {
		if s.takeSubscriptions() <= 0 {
			return
		}
	}
}

// Settle makes libzmq's own view of the socket the same as the user's. See settle.
func (s *Socket) Settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
}

// bypass prepares the socket for a proxy, which sends and receives on its handle.
func (s *Socket) bypass() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	if n := s.subs; n != nil && !n.pub {
		n.passed = true
	}
}

// beforeOption counts pending subscriptions before an option changes their meaning. s.mu
// is held.
func (s *Socket) beforeOption(number int) {
	n := s.subs
	if n == nil {
		return
	}
	switch number {
	case libzmq.OptXPubVerbose, libzmq.OptXPubVerboser, libzmq.OptXPubManual, libzmq.OptXPubManualLast:
		s.settle()
		if !n.passed {
			s.takeReported() // the meaning of an end is about to change
		}
	}
}

// noteOption records an option that was set.
func (n *subscriptions) noteOption(number int, value []byte) {
	switch number {
	case libzmq.OptXPubManual, libzmq.OptXPubManualLast:
		n.manual = isOn(value)
	case libzmq.OptXPubVerbose, libzmq.OptXPubVerboser:
		n.verboser = number == libzmq.OptXPubVerboser && isOn(value)
	}
}
