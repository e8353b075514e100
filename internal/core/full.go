package core

import (
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// SetWhenFull sets the policy: ZMQ_XPUB_NODROP, and the reaction when libzmq then refuses
// a message.
func (s *Socket) SetWhenFull(p FullPolicy) error {
	noDrop := rules.Int(0)
	if p != FullDrop {
		noDrop = rules.Int(1)
	}
	_, err := s.configure(func(h *held) int {
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
	h := s.lock.Lock()
	defer s.lock.Unlock()
	return h.full, h.state.err()
}

// noRoom applies the policy to a message for which libzmq had no room. libzmq has queued
// it for no subscriber: with NODROP it checks all matching subscribers first.
func (s *held) noRoom(r *request, dontWait bool) (rc int, dontWaitNow bool) {
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
