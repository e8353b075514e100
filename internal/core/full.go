package core

import (
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// SetWhenFull sets the policy: ZMQ_XPUB_NODROP or ZMQ_ROUTER_MANDATORY, and the reaction
// when libzmq then refuses a message.
func (s *Socket) SetWhenFull(p FullPolicy) error {
	noDrop, option := rules.Int(0), libzmq.OptXPubNoDrop
	if p != FullDrop {
		noDrop = rules.Int(1)
	}
	if s.typ == libzmq.Router {
		option = libzmq.OptRouterMandatory
	}
	_, err := s.configure(func(h *held) int {
		rc := libzmq.SetOption(h.handle, option, noDrop)
		if rc >= 0 {
			h.noteOption(option, noDrop)
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

// noRoom applies the policy to a message that libzmq refused with rc because it had no room,
// or a ROUTER no peer with the routing ID. libzmq has queued it for nobody: with NODROP it
// checks all matching subscribers first.
func (s *held) noRoom(r *request, rc int, dontWait bool) (rcNow int, dontWaitNow bool) {
	if s.full != FullCounted {
		return rc, dontWait || rc == again && s.full == FullFail && !r.patient
	}
	for n := 1; (rc == again || rc == -int(syscall.EHOSTUNREACH)) && s.full == FullCounted && s.state == stateOpen; n++ {
		s.stats.Dropped++
		if rc != again {
			s.stats.DroppedUnknown++
		}
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
