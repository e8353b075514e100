package core

import (
	"math"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Automatic read-ahead takes up to aheadMost messages from libzmq in one call into C when
// the last receives found messages without waiting. It applies only where libzmq alone
// would behave in the same way:
//
//   - The socket type receives freely. REQ and REP receive in turn. An XPUB with
//     XPubManual subscribes to the topic that its last message named. A STREAM counts its
//     connections by its messages. The draft types have rules of their own.
//   - It adds at most a tenth to the number of messages that the socket may hold: RecvHWM
//     is at least ten times aheadMost, or unlimited.
//   - The program does not have ZMQ_FD, which does not report the messages held here.
//   - Conflate is off. It replaces messages that were not received.
//   - The messages are small, so that they need little memory here.
//   - A SUB has not unsubscribed, nor set InvertMatching. libzmq drops messages that no
//     longer match when they are received. Messages that are held at that time are
//     filtered again (Filter).
const (
	AheadAuto    = -1 // argument of SetReadAhead
	aheadMost    = 64
	aheadAfter   = 2         // consecutive receives that did not wait
	aheadRarest  = 1 << 10   // the same at most: it doubles when a call takes one message
	aheadBytes   = 256 << 10 // bytes after which no more messages are taken
	aheadLargest = 4 << 10   // a message of more bytes ends it for the socket
)

// SetReadAhead sets the number of messages that a receive takes from libzmq at once.
// Later receives return the other messages. With 0 and 1, a receive takes only the
// message that it returns. With AheadAuto, the socket decides. Messages that the socket
// already holds are returned first in any case.
func (s *Socket) SetReadAhead(messages int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := &s.in
	in.ahead, in.auto, in.inARow = max(messages, 0), messages < 0, 0
	return s.state.err()
}

// ReadAhead returns the value set by SetReadAhead.
func (s *Socket) ReadAhead() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.in.auto {
		return AheadAuto, s.state.err()
	}
	return s.in.ahead, s.state.err()
}

// beginAhead starts reading ahead if it is automatic and allowed on this socket. s.mu is
// held.
func (s *Socket) beginAhead() {
	in := &s.in
	in.inARow = 0
	if !in.auto || in.barred {
		return
	}
	hwm := libzmq.GetInt(s.handle, libzmq.OptRecvHWM)
	switch { // this is fixed once messages arrive
	case s.typ == libzmq.Req, s.typ == libzmq.Rep, s.typ == libzmq.XPub, s.typ >= libzmq.Stream,
		s.fdGiven, s.conflates.Load(), hwm != 0 && hwm < 10*aheadMost:
		in.barred = true
	default:
		in.ahead = aheadMost
	}
}

// barAhead ends automatic read-ahead for good. s.mu is held.
func (s *Socket) barAhead() {
	s.in.barred = true
	if s.in.auto {
		s.in.ahead = 0
	}
}

// goOn decides whether the next receive reads ahead, after a call that took the given
// number of messages. Looking for more than one message in vain takes longer than a
// receive, so it becomes rare where each message is received before the next one is sent.
func (in *incoming) goOn(messages int) {
	if messages > 1 {
		in.after = aheadAfter
	} else {
		in.ahead, in.after = 0, min(2*in.after, aheadRarest)
	}
	for i := range in.msgs[:in.n] {
		if in.msgs[i].Len() > aheadLargest {
			in.ahead, in.barred = 0, true
		}
	}
}

// room returns the limits of messages and bytes for one call into C.
func (in *incoming) room() (messages, bytes int) {
	if in.auto {
		return in.ahead, aheadBytes
	}
	return in.ahead, math.MaxInt
}

// Filter drops messages that were read ahead and no longer match any subscription of the
// SUB. With ZMQ_INVERT_MATCHING, it drops those that match one. A message that is being
// received part by part stays. Filter ends automatic read-ahead.
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
