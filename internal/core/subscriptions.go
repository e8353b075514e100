package core

import (
	"context"
	"encoding/binary"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// subscriptions counts those that the peers of a PUB or XPUB socket have sent.
//
// libzmq reports subscriptions to XPUB sockets only. The two types differ in nothing
// else that matters, so a PUB is an XPUB inside libzmq, one that reports every
// subscription and its end (ZMQ_XPUB_VERBOSER), and nobody receives from it but who
// counts. The exceptions are a PUB with Conflate, which libzmq does not have for XPUB,
// and one whose context has TrackConnections off.
//
// To an XPUB, libzmq would report the first subscription to each topic only. It is
// told to report all (ZMQ_XPUB_VERBOSE, which leaves their ends as they are: a topic's
// last), and those that the user is not to see are taken out here. That cannot be
// done for who looks at libzmq's own events, or receives from its handle: settle goes
// back to libzmq's way before that.
type subscriptions struct {
	flooded bool // a receive gave up before all were counted (run.go)
	pub     bool // of a PUB
	filter  bool // of an XPUB: take out what the user is not to see
	manual  bool // of an XPUB: what is received last decides what an option applies to
	native  bool // of a PUB: it is one for libzmq too
	passed  bool // of an XPUB: a proxy receives them

	verboser bool // of an XPUB: libzmq reports every end, not only a topic's last

	count   int
	topics  map[string]int // an XPUB's: how many were counted
	scratch [4]libzmq.Msg

	sends    uint8
	behind   bool     // of a PUB: there were more than one look takes
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
	switch {
	case socketType == libzmq.Pub && !c.blind.Load():
		verbose = libzmq.OptXPubVerboser
	case socketType == libzmq.XPub:
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

func (c *Context) newSubscriptions(socketType int) *subscriptions {
	switch socketType {
	case libzmq.Pub:
		return &subscriptions{pub: true, native: c.blind.Load()}
	case libzmq.XPub:
		return &subscriptions{filter: true, topics: map[string]int{}}
	}
	return nil
}

// receives reports whether there can be anything to receive. A PUB's subscriptions
// are not for the user.
func (s *Socket) receives() bool { return s.subs == nil || !s.subs.pub }

// beforeSend counts a PUB's subscriptions every 256 sends, when the counter wraps, so
// that they do not pile up inside libzmq; and each time while there are more than one
// look takes. s.mu is held.
func (s *Socket) beforeSend() {
	if n := s.subs; n.pub {
		if n.sends++; !n.native && (n.sends == 0 || n.behind) {
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
	// Nobody receives from libzmq past the count: something may have come just now.
	if how&libzmq.WantEvents != 0 {
		events = libzmq.Events(s.handle)
	}
	return rc, events, true
}

// mostSubscriptions is how many messages are counted under one hold of the socket's
// mutex, so that a peer that floods the socket with them stops nobody for long. Of
// those of a PUB, which are dropped inside C, a crossing takes as many as come within
// a millisecond.
const mostSubscriptions = 1 << 8

// takeSubscriptions counts what libzmq has received, and keeps what is for the user. It
// returns why there is no more, -EAGAIN mostly, or a positive number if there may be
// more. s.mu is held.
func (s *Socket) takeSubscriptions() (rc int) {
	n := s.subs
	if n.native || n.manual {
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
	if rc, _ = libzmq.Recv(s.handle, &n.scratch[0], n.scratch[1:], 0, 0); rc <= 0 {
		return rc
	}
	s.touch()
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
	before := n.count
	if n.note(parts) {
		s.in.add(parts)
	} else {
		libzmq.CloseMsgs(parts)
	}
	if n.count != before {
		n.wake()
	}
	return 1
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
	topic := string(text[1:])
	have := n.topics[topic]
	if text[0] == 1 {
		n.topics[topic]++
		n.count++
		return have == 0 || !n.filter
	}
	ended := have // it was the last of the topic
	if n.verboser {
		ended = min(have, 1)
	}
	n.count -= ended
	if have == ended {
		delete(n.topics, topic)
	} else {
		n.topics[topic] = have - ended
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
func (s *Socket) beforeOption(number int, value []byte) (rc int) {
	n := s.subs
	if n == nil {
		return 0
	}
	switch number {
	case libzmq.OptXPubVerbose, libzmq.OptXPubVerboser, libzmq.OptXPubManual, libzmq.OptXPubManualLast:
		s.settle()
		if !n.passed {
			s.takeReported() // what an end means is about to change
		}
		if number == libzmq.OptXPubManual || number == libzmq.OptXPubManualLast {
			n.manual = len(value) == 4 && binary.NativeEndian.Uint32(value) != 0
		}
	case libzmq.OptConflate:
		if n.pub && !n.native && s.endpoint == "" && len(value) == 4 && binary.NativeEndian.Uint32(value) != 0 {
			return s.makeNative()
		}
	}
	return 0
}

// afterOption remembers whether an XPUB is verbose about ends, and what was set on a PUB
// that is not attached to anything yet.
func (s *Socket) afterOption(number int, value []byte) {
	n := s.subs
	if n != nil && (number == libzmq.OptXPubVerbose || number == libzmq.OptXPubVerboser) {
		n.verboser = number == libzmq.OptXPubVerboser && binary.NativeEndian.Uint32(value) != 0
	}
	if n == nil || !n.pub || n.native || s.endpoint != "" {
		return
	}
	n.options = slices.DeleteFunc(n.options, func(o option) bool {
		return o.number == number && (number != libzmq.OptMetadata || slices.Equal(o.value, value))
	})
	n.options = append(n.options, option{number, slices.Clone(value)})
}

// makeNative replaces the XPUB that stands for a PUB by a PUB. s.mu is held.
func (s *Socket) makeNative() (rc int) {
	handle, rc := libzmq.OpenSocket(s.ctx.handle, libzmq.Pub)
	if rc < 0 {
		return rc
	}
	if s.full != FullDrop {
		libzmq.SetOption(handle, libzmq.OptXPubNoDrop, intValue(1))
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
	return 0
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
			return &Fault{syscall.ENOTSUP, "a PUB with Conflate, or made while TrackConnections was off, is not told of subscriptions by libzmq; use one without"}
		case n.passed:
			return &Fault{syscall.ENOTSUP, "a proxy passes this socket's subscriptions on; nobody counts them here"}
		case n.manual:
			return &Fault{syscall.ENOTSUP, "with XPubManual it is the program that receives and accepts subscriptions; count them there"}
		}
		rc := s.takeSubscriptions()
		if s.in.ready() {
			s.lists[Recv].wakeFirst() // R6
		}
		if n.count >= subscriptions {
			return nil
		}
		if rc > 0 { // there are more
			s.mu.Unlock()
			runtime.Gosched()
			s.mu.Lock()
			if ctx != nil && ctx.Err() != nil {
				return ctx.Err()
			}
			continue
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

// tendFor bounds the time that the safety net spends on one PUB, which other
// goroutines have in between.
const tendFor = 50 * time.Millisecond

// tend counts a PUB's subscriptions for the safety net, which comes by now and then,
// and reports whether there were any. s.mu is held.
func (s *Socket) tend() bool {
	if s.subs == nil || !s.subs.pub || s.state != stateOpen {
		return false
	}
	for end := time.Now().Add(tendFor); s.takeSubscriptions() > 0 && time.Now().Before(end); {
		s.mu.Unlock()
		runtime.Gosched()
		s.mu.Lock()
		if s.state != stateOpen {
			return false
		}
	}
	reported := s.subs.reported
	s.subs.reported = false
	return reported
}
