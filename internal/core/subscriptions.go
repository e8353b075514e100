package core

import (
	"encoding/binary"
	"slices"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// subscriptions counts the subscriptions of the peers of a PUB or XPUB that tracks them.
//
// libzmq reports subscriptions only to XPUB sockets, which otherwise behave like PUB. A PUB
// that tracks is therefore an XPUB inside libzmq that reports every subscription and its
// end (ZMQ_XPUB_VERBOSER), and only this file receives from it.
//
// To an XPUB, libzmq by default reports only the first subscription to a topic. One that
// tracks is told to report all (ZMQ_XPUB_VERBOSE, which still reports only the end of a
// topic's last), and this file drops those that the user is not to see. It cannot do that
// for a caller that looks at libzmq's own events or receives from the handle: before that,
// settle restores libzmq's own behavior.
type subscriptions struct {
	flooded bool // a receive gave up before all were counted (run.go)
	pub     bool // of a PUB
	filter  bool // of an XPUB: drop what the user is not to see
	manual  bool // of an XPUB: the message received last decides what an option applies to
	passed  bool // of an XPUB: a proxy receives them

	verboser bool // of an XPUB: libzmq reports every end, not only a topic's last

	count   int
	topics  map[string]int // an XPUB's: how many were counted
	size    int            // memory that topics takes, roughly
	full    bool           // it took too much, and nothing is counted any more
	scratch [4]libzmq.Msg

	sends    uint8
	behind   bool // of a PUB: there were more than one look takes
	waiting  int
	changed  chan struct{} // closed when the count changed or the socket ended
	reported bool          // since the watchdog looked last
}

// openSocket creates the handle for a socket of a type.
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

// receives reports whether there can be anything to receive. A tracking PUB's subscriptions
// are not for the user.
func (s *Socket) receives() bool { return s.subs == nil || !s.subs.pub }

// beforeSend counts a PUB's subscriptions every 256 sends, when the counter wraps, so
// that they do not pile up inside libzmq; and each time while there are more than one
// look takes. s.mu is held.
func (s *Socket) beforeSend() {
	if n := s.subs; n.pub {
		if n.sends++; n.sends == 0 || n.behind {
			s.takeSubscriptions()
		}
	}
}

// attemptSubscribed is what comes before a receive from a PUB or an XPUB: whether there
// is anything. If done is false, it is as with other sockets. s.mu is held.
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
	// One by one, until there is something for the user.
	for range mostSubscriptions {
		if rc = s.takeOne(); rc <= 0 || s.in.pending() > 0 {
			break
		}
	}
	if s.in.pending() > 0 {
		return 0, 0, false
	}
	if rc > 0 { // nothing for the user so far: try comes again
		return again, libzmq.EventIn, true
	}
	// No receive from libzmq bypasses the count: a message may have come just now.
	if flags&libzmq.WantEvents != 0 {
		events = libzmq.Events(s.handle)
	}
	return rc, events, true
}

// mostSubscriptions is how many messages are counted under one hold of the socket's
// mutex, so that a peer that floods the socket with them does not stop other calls for long.
// A PUB drops them inside C, and one call into C takes as many as come within a millisecond.
const mostSubscriptions = 1 << 8

// takeSubscriptions counts what libzmq has received, and keeps what is for the user. It
// returns why there is no more, -EAGAIN mostly, or a positive number if there may be
// more. s.mu is held.
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

// takeOne receives a message of an XPUB's, counts it, and keeps it if it is for the
// user. A positive result says that there was one.
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
				return rc // a shutdown; nothing is left of it
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

// mostTopicMemory bounds what an XPUB keeps of topics, since its peers decide how many there
// are and how long they may be. It is enough for 400,000 topics of 20 bytes.
const mostTopicMemory = 32 << 20

// topicMemory is what one topic takes: its bytes, and a string and a count in the map.
func topicMemory(topic []byte) int { return len(topic) + 64 }

// stopCounting forgets the topics of an XPUB that has too many. From then on libzmq
// decides what is reported, as it does for settle. s.mu is held.
func (s *Socket) stopCounting() {
	n := s.subs
	n.full = true
	s.settle() // hides what was reported before, without adding topics
	n.topics, n.size, n.count = nil, 0, 0
	n.wake()
}

// note counts a message if it is about a subscription, and reports whether it is for
// the user.
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
	ended := have // it was the last of the topic
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

// settle lets libzmq itself take care of what an XPUB reports, for who looks past
// this package: a poller that asks libzmq, a proxy that receives from the handle, a
// user who sets the options. s.mu is held.
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

// Settle makes libzmq's own view of the socket that of its user: see settle.
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

// beforeOption looks after the subscriptions before an option is set. s.mu is held.
func (s *Socket) beforeOption(number int) {
	n := s.subs
	if n == nil {
		return
	}
	switch number {
	case libzmq.OptXPubVerbose, libzmq.OptXPubVerboser, libzmq.OptXPubManual, libzmq.OptXPubManualLast:
		s.settle()
		if !n.passed {
			s.takeReported() // what an end means is about to change
		}
	}
}

// noteOption remembers an option that was set.
func (n *subscriptions) noteOption(number int, value []byte) {
	switch number {
	case libzmq.OptXPubManual, libzmq.OptXPubManualLast:
		n.manual = isOn(value)
	case libzmq.OptXPubVerbose, libzmq.OptXPubVerboser:
		n.verboser = number == libzmq.OptXPubVerboser && isOn(value)
	}
}
