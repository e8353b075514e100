package core

import (
	"math"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Automatic reading ahead takes up to aheadMost messages from libzmq in one crossing when
// the last receives found messages without waiting. It applies only where libzmq alone
// would behave in the same way:
//
//   - Its types receive freely: a REQ and a REP receive in turn, what an XPUB with
//     XPubManual subscribes to is what its last message named, a STREAM counts its
//     connections by its messages, and the draft types have rules of their own.
//   - At most a tenth is added to what the socket may hold: its RecvHWM is at least ten
//     times aheadMost, or unlimited.
//   - Nobody waits for ZMQ_FD, which says nothing of messages that are held here.
//   - No Conflate, which replaces a message that was not received.
//   - The messages are small, so that little memory waits here.
//   - A SUB has not unsubscribed: libzmq drops messages that no longer match when they are
//     received. Those that are held then are filtered again (Filter).
const (
	AheadAuto    = -1 // for SetReadAhead
	aheadMost    = 64
	aheadAfter   = 2         // receives in a row that did not wait
	aheadBytes   = 256 << 10 // no more messages are taken behind these
	aheadLargest = 4 << 10   // a message of more bytes ends it for the socket
)

// SetReadAhead sets how many messages a receive takes from libzmq at once, to be handed
// out by later ones; 0 and 1 mean the one that it returns, AheadAuto leaves it to the
// socket. What is held already is handed out first in any case.
func (s *Socket) SetReadAhead(messages int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != stateOpen {
		return s.state.err()
	}
	in := &s.in
	in.ahead, in.auto, in.inARow = max(messages, 0), messages < 0, 0
	return nil
}

// ReadAhead returns what SetReadAhead set.
func (s *Socket) ReadAhead() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.in.auto {
		return AheadAuto, s.state.err()
	}
	return s.in.ahead, s.state.err()
}

// Holds reports whether messages were read ahead that nobody has received yet.
func (s *Socket) Holds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == stateOpen && s.in.pending() > 0
}

// beginAhead begins to read ahead, if that is automatic and behaves as libzmq does. s.mu
// is held.
func (s *Socket) beginAhead() {
	in := &s.in
	in.inARow = 0
	if !in.auto || in.barred {
		return
	}
	hwm := libzmq.GetInt(s.handle, libzmq.OptRecvHWM)
	switch {
	case s.typ == libzmq.Req, s.typ == libzmq.Rep, s.typ == libzmq.XPub, s.typ >= libzmq.Stream,
		s.fdGiven, s.conflates.Load(), hwm != 0 && hwm < 10*aheadMost:
		in.barred = true
	default:
		in.ahead = aheadMost
	}
}

// barAhead ends automatic reading ahead for good. s.mu is held.
func (s *Socket) barAhead() {
	s.in.barred = true
	if s.in.auto {
		s.in.ahead = 0
	}
}

// goOn decides after a crossing that took so many messages whether the next one reads
// ahead, too. One message alone is what a receive takes at less cost.
func (in *incoming) goOn(messages int) {
	if messages < 2 {
		in.ahead = 0
	}
	for i := range in.msgs[:in.n] {
		if in.msgs[i].Len() > aheadLargest {
			in.ahead, in.barred = 0, true
		}
	}
}

// room returns how many messages, and bytes, a crossing takes.
func (in *incoming) room() (messages, bytes int) {
	if in.auto {
		return in.ahead, aheadBytes
	}
	return in.ahead, math.MaxInt
}

// Filter drops the messages that were read ahead and that match none of a SUB's
// subscriptions any more, or one of them with ZMQ_INVERT_MATCHING. A message that is being
// received part by part stays. It ends automatic reading ahead.
func (s *Socket) Filter(matches func(first []byte) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.barAhead()
	if s.state != stateOpen {
		return
	}
	in, inverted := &s.in, libzmq.GetInt(s.handle, libzmq.OptInvert) > 0
	at := in.head
	if in.more {
		at += in.rest()
	}
	kept := at
	for at < in.n {
		end := at + 1
		for end < in.n && in.msgs[end-1].More() {
			end++
		}
		if matches(in.msgs[at].Bytes()) == inverted {
			closeHeld(in.msgs[at:end])
		} else {
			for ; at < end; at, kept = at+1, kept+1 {
				in.msgs[kept].Swap(&in.msgs[at])
			}
		}
		at = end
	}
	closeHeld(in.msgs[kept:in.n])
	in.n = kept
}
