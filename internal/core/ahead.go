package core

import (
	"github.com/go-zmq/go-zmq/internal/inbox"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// SetReadAhead sets the number of messages that a receive takes from libzmq at once.
// Later receives return the other messages. With 0 and 1, a receive takes only the
// message that it returns. With a negative number, the socket decides. Messages that the
// socket already holds are returned first in any case.
func (s *Socket) SetReadAhead(messages int) error {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	h.in.SetReadAhead(messages)
	return h.state.err()
}

// ReadAhead returns the value set by SetReadAhead, or inbox.Auto.
func (s *Socket) ReadAhead() (int, error) {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	return h.in.ReadAhead(), h.state.err()
}

// beginAhead starts automatic read-ahead, if it is on and allowed.
func (s *held) beginAhead() { s.in.Begin(s.mayReadAhead) }

// mayReadAhead reports whether the socket may read ahead automatically, which must not make
// a difference that the program can see:
//
//   - The socket type receives freely (rules).
//   - Reading ahead adds at most a tenth to the number of messages that the socket may hold,
//     because RecvHWM is unlimited or at least ten times inbox.AheadMost.
//   - The program does not have ZMQ_FD, which does not report the messages held here.
//   - Conflate is off. It replaces messages that were not received.
//   - A SUB has not unsubscribed, nor set InvertMatching. libzmq drops messages that no
//     longer match when they are received, so Filter does that for those held here.
//
// All of this is fixed once messages arrive.
func (s *held) mayReadAhead() bool {
	hwm := libzmq.GetInt(s.handle, libzmq.OptRecvHWM)
	return s.typ.ReadsFreely() && !s.fdGiven && !s.options.On(libzmq.OptConflate) && (hwm == 0 || hwm >= 10*inbox.AheadMost)
}

// Filter drops messages that were read ahead and no longer match any subscription of the
// SUB. With ZMQ_INVERT_MATCHING, it drops those that match one. A message that is being
// received part by part stays. Filter ends automatic read-ahead.
func (s *Socket) Filter(matches func(first []byte) bool) {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	h.in.Bar()
	if h.state != stateOpen {
		return
	}
	inverted := libzmq.GetInt(h.handle, libzmq.OptInvert) > 0
	h.in.Filter(func(first []byte) bool { return matches(first) == inverted })
}
