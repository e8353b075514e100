package core

import (
	"runtime"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// FullPolicy says what a PUB or XPUB does with a message when the queue of a subscriber
// is full.
type FullPolicy uint8

const (
	FullDrop    FullPolicy = iota // libzmq drops it for full subscribers, unreported
	FullCounted                   // it is dropped for all subscribers and counted
	FullBlock                     // the sender waits
	FullFail                      // the sender gets EAGAIN
)

// SetWhenFull sets the policy: ZMQ_XPUB_NODROP, and the reaction when libzmq then refuses
// a message.
func (s *Socket) SetWhenFull(p FullPolicy) error {
	noDrop := rules.Int(0)
	if p != FullDrop {
		noDrop = rules.Int(1)
	}
	_, err := s.configure(func(h *Socket) int {
		rc := libzmq.SetOption(h.handle, libzmq.OptXPubNoDrop, noDrop)
		if rc >= 0 {
			h.full = p
		}
		return rc
	})
	return err
}

// WhenFull returns the policy.
func (s *Socket) WhenFull() (FullPolicy, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.full, s.state.err()
}

// noRoom applies the policy to a message for which libzmq had no room. libzmq has queued
// it for no subscriber: with NODROP it checks all matching subscribers first. s.mu is
// held.
func (s *Socket) noRoom(r *request, dontWait bool) (rc int, dontWaitNow bool) {
	if s.full == FullFail {
		return again, dontWait || !r.patient
	}
	rc = again
	for n := 1; rc == again && s.full == FullCounted && s.state == stateOpen; n++ {
		s.stats.Dropped++
		if !r.drop() {
			return 0, dontWait
		}
		if n%maxDrops == 0 {
			if s.giveWay(); s.state != stateOpen {
				break
			}
		}
		rc = s.try(r)
	}
	return rc, dontWait
}

// maxDrops is the number of messages of a batch that are dropped under one hold of the
// mutex. Each takes a call into C that checks all subscribers.
const maxDrops = 64

// giveWay lets other goroutines use the socket for a moment.
func (s *Socket) giveWay() {
	s.mu.Unlock()
	runtime.Gosched()
	s.mu.Lock()
}

// drop drops the message that could not be sent and releases its memory, like a send
// does. It reports whether another message must be sent after it.
func (r *request) drop() (more bool) {
	if r.batch != nil {
		r.batch.skip(1)
		return r.batch.count > 0
	}
	libzmq.CloseMsgs(r.msgs)
	libzmq.CloseMsgs(r.copies)
	return false
}
