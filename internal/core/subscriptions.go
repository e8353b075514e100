package core

import (
	"context"
	"encoding/binary"
	"slices"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// subscriptions counts those that the peers of a PUB or XPUB socket have sent.
//
// libzmq reports subscriptions to XPUB sockets only. The two types differ in nothing
// else that matters, so a PUB is an XPUB inside libzmq, one that reports every
// subscription and its end (ZMQ_XPUB_VERBOSER), and nobody receives from it but who
// counts. The exception is a PUB with Conflate, which libzmq does not have for XPUB.
//
// To an XPUB, libzmq would report the first subscription to each topic only. It is
// told to report all (ZMQ_XPUB_VERBOSE, which leaves their ends as they are: a topic's
// last), and those that the user is not to see are taken out here. That cannot be
// done for who looks at libzmq's own events, or receives from its handle: settle goes
// back to libzmq's way before that.
type subscriptions struct {
	pub    bool // of a PUB
	filter bool // of an XPUB: take out what the user is not to see
	manual bool // of an XPUB: what is received last decides what an option applies to
	native bool // of a PUB: it is one for libzmq too
	passed bool // of an XPUB: a proxy receives them

	count   int
	topics  map[string]int // an XPUB's: how many were counted
	scratch [4]libzmq.Msg

	sends    uint8
	options  []option // a PUB's, to make it anew
	waiting  int
	changed  chan struct{} // closed when the count changed or the socket ended
	reported bool          // since the safety net looked last
}

type option struct {
	number int
	value  []byte
}

// openSocket makes the handle for a socket of a type.
func (c *Context) openSocket(socketType int) (libzmq.Socket, int) {
	verbose := libzmq.OptXPubVerbose
	switch socketType {
	case libzmq.Pub:
		verbose = libzmq.OptXPubVerboser
	case libzmq.XPub:
	default:
		return libzmq.OpenSocket(c.handle, socketType)
	}
	handle, rc := libzmq.OpenSocket(c.handle, libzmq.XPub)
	if rc == 0 {
		libzmq.SetOption(handle, verbose, intValue(1))
	}
	return handle, rc
}

func intValue(v int) []byte {
	return binary.NativeEndian.AppendUint32(nil, uint32(int32(v)))
}

func newSubscriptions(socketType int) *subscriptions {
	switch socketType {
	case libzmq.Pub:
		return &subscriptions{pub: true}
	case libzmq.XPub:
		return &subscriptions{filter: true, topics: map[string]int{}}
	}
	return nil
}

// receives reports whether there can be anything to receive. A PUB's subscriptions
// are not for the user.
func (s *Socket) receives() bool { return s.subs == nil || !s.subs.pub }

// drainEvery is after how many sends a PUB's subscriptions are counted, so that they
// do not pile up inside libzmq.
const drainEvery = 1 << 8

// beforeSend looks after a PUB's subscriptions now and then. s.mu is held.
func (s *Socket) beforeSend() {
	if n := s.subs; n.pub {
		if n.sends++; n.sends == 0 {
			s.takeSubscriptions()
		}
	}
}

// attemptSubscribed is what comes before a receive from a PUB or an XPUB: whether there
// is anything. If done is false, it is as with other sockets. s.mu is held.
func (s *Socket) attemptSubscribed(r *request, how int) (rc, events int, done bool) {
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
	if rc = s.takeSubscriptions(); s.in.pending() > 0 {
		return 0, 0, false
	}
	// Nobody receives from libzmq past the count: something may have come just now.
	if how&libzmq.WantEvents != 0 {
		events = libzmq.Events(s.handle)
	}
	return rc, events, true
}

// takeSubscriptions counts what libzmq has received, and keeps what is for the user. It
// returns why there is no more, -EAGAIN mostly. s.mu is held.
func (s *Socket) takeSubscriptions() (rc int) {
	n := s.subs
	if n.native || n.manual {
		return again
	}
	var kept []libzmq.Msg
	before := n.count
	for {
		if rc, _ = libzmq.Recv(s.handle, &n.scratch[0], n.scratch[1:], 0, 0); rc <= 0 {
			break
		}
		n.reported = true
		parts := n.scratch[:rc]
		if rc == len(n.scratch) && parts[rc-1].More() {
			all := slices.Clone(parts)
			clear(parts) // moved
			for have := len(all); all[have-1].More(); all = all[:have] {
				if rc = grow(s.handle, &all); rc < 0 {
					return rc // a shutdown; nothing is left of it
				}
				have += rc
			}
			parts = all
		}
		if n.note(parts) && !n.pub {
			kept = append(kept, parts...)
			clear(parts) // moved
		} else {
			libzmq.CloseMsgs(parts)
		}
	}
	if len(kept) > 0 {
		in := &s.in
		all := append(slices.Clone(in.msgs[in.head:in.n]), kept...)
		libzmq.CloseMsgs(in.msgs[:in.head])
		clear(in.msgs[in.head:in.n]) // moved
		in.msgs, in.head, in.n = all, 0, len(all)
	}
	if n.count != before {
		n.wake()
	}
	return rc
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
	begins := text[0] == 1
	switch {
	case n.pub && begins:
		n.count++
	case n.pub:
		n.count = max(n.count-1, 0)
	case begins:
		topic := string(text[1:])
		n.topics[topic]++
		n.count++
		return n.topics[topic] == 1 || !n.filter
	default: // the last of the topic
		n.count -= n.topics[string(text[1:])]
		delete(n.topics, string(text[1:]))
	}
	return true
}

// wake wakes everybody who waits for the count. s.mu is held.
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
		s.takeSubscriptions()
		n.filter = false
		libzmq.SetOption(s.handle, libzmq.OptXPubVerbose, intValue(0))
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
func (s *Socket) beforeOption(number int, value []byte) {
	n := s.subs
	if n == nil {
		return
	}
	switch number {
	case libzmq.OptXPubVerbose, libzmq.OptXPubVerboser, libzmq.OptXPubManual, libzmq.OptXPubManualLast:
		s.settle()
		if number == libzmq.OptXPubManual || number == libzmq.OptXPubManualLast {
			n.manual = len(value) == 4 && binary.NativeEndian.Uint32(value) != 0
		}
	case libzmq.OptConflate:
		if n.pub && !n.native && s.endpoint == "" && len(value) == 4 && binary.NativeEndian.Uint32(value) != 0 {
			s.makeNative()
		}
	}
}

// afterOption remembers what was set on a PUB that is not attached to anything yet.
func (s *Socket) afterOption(number int, value []byte) {
	n := s.subs
	if n == nil || !n.pub || n.native || s.endpoint != "" {
		return
	}
	n.options = slices.DeleteFunc(n.options, func(o option) bool {
		return o.number == number && (number != libzmq.OptMetadata || slices.Equal(o.value, value))
	})
	n.options = append(n.options, option{number, slices.Clone(value)})
}

// makeNative replaces the XPUB that stands for a PUB by a PUB. That the context has no
// place for it leaves things as they are. s.mu is held.
func (s *Socket) makeNative() {
	handle, rc := libzmq.OpenSocket(s.ctx.handle, libzmq.Pub)
	if rc < 0 {
		return
	}
	for _, o := range s.subs.options {
		libzmq.SetOption(handle, o.number, o.value)
	}
	old := s.handle
	s.handle = handle
	s.subs.native, s.subs.options, s.subs.count = true, nil, 0
	if s.track != nil {
		if err := s.track.start(s, s.track.mask); err != nil {
			s.links.miss(err)
		}
	}
	libzmq.CloseSocket(old, 0, true)
	if file := s.fd; file != nil {
		s.fd, s.fdNum, s.watched = nil, -1, false
		go file.Close() // it waits for the watcher, which waits for s.mu
		s.lists[Recv].wakeAll()
		s.lists[Send].wakeAll()
		s.inexact.wakeAll()
	}
	s.subs.wake()
}

// WaitSubscriptions waits until peers hold as many subscriptions.
func (s *Socket) WaitSubscriptions(ctx context.Context, subscriptions int) error {
	if ctx != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		n := s.subs
		switch {
		case s.state != stateOpen:
			return s.state.err()
		case n == nil:
			return &Fault{syscall.ENOTSUP, "only PUB and XPUB sockets have subscribers"}
		case n.native:
			return &Fault{syscall.ENOTSUP, "a PUB that has had Conflate is not told of subscriptions by libzmq; use a PUB without it"}
		case n.passed:
			return &Fault{syscall.ENOTSUP, "a proxy passes this socket's subscriptions on; nobody counts them here"}
		case n.manual:
			return &Fault{syscall.ENOTSUP, "with XPubManual it is the program that receives and accepts subscriptions; count them there"}
		}
		s.takeSubscriptions()
		if s.in.ready() {
			s.lists[Recv].wakeFirst() // R6
		}
		if n.count >= subscriptions {
			return nil
		}
		if err := s.watch(); err != nil {
			return err
		}
		if n.changed == nil {
			n.changed = make(chan struct{})
		}
		changed := n.changed
		n.waiting++
		s.mu.Unlock()
		select {
		case <-changed:
		case <-doneOf(ctx):
		}
		s.mu.Lock()
		n.waiting--
		if ctx != nil && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// counting reports whether somebody waits for subscriptions. s.mu is held.
func (s *Socket) counting() int {
	if s.subs == nil {
		return 0
	}
	return s.subs.waiting
}

// tend counts a PUB's subscriptions for the safety net, which comes by now and then,
// and reports whether there were any. s.mu is held.
func (s *Socket) tend() bool {
	if s.subs == nil || !s.subs.pub || s.state != stateOpen {
		return false
	}
	s.takeSubscriptions()
	reported := s.subs.reported
	s.subs.reported = false
	return reported
}
