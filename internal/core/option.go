package core

import (
	"cmp"
	"encoding/binary"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/park"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// noteOption records an option that libzmq has accepted, and does what the socket itself
// must do about it.
func (s *held) noteOption(number int, value []byte) {
	s.options.Note(number, value)
	on := s.options.On(number)
	switch number {
	case libzmq.OptSendTimeout:
		s.limit[Send] = rules.Millis(value)
	case libzmq.OptRecvTimeout:
		s.limit[Recv] = rules.Millis(value)
	case libzmq.OptLinger:
		s.linger, s.lingerSet = rules.Millis(value), true
	case libzmq.OptXPubNoDrop, libzmq.OptRouterMandatory:
		s.full = FullDrop
		if on {
			s.full = FullBlock
		}
	case libzmq.OptConflate:
		if on { // drops the message that it replaces
			s.flags |= libzmq.Copy
		}
	case libzmq.OptXPubManual, libzmq.OptXPubManualLast:
		s.untrack(true)
	case libzmq.OptXPubVerbose, libzmq.OptXPubVerboser:
		s.untrack(false)
	case libzmq.OptRouterRaw:
		s.peers.Raw.Store(on)
	}
}

// On reports whether an option is on: its last value was neither 0 nor empty.
func (s *shared) On(number int) bool { return s.options.On(number) }

// SetOption sets a socket option from its representation in memory.
//
// Implements: zmq_setsockopt.
func (s *Socket) SetOption(number int, value []byte) error {
	var fault error
	_, err := s.configure(func(h *held) int {
		if number == libzmq.OptRouterHandover && len(value) > 0 && value[0] != 0 && s.ctx.inproc.pendingRouted(s) {
			fault = errHandover
			return 0
		}
		rc := libzmq.SetOption(h.handle, number, value)
		if rc < 0 {
			return rc
		}
		h.noteOption(number, value)
		return rc
	})
	return cmp.Or(fault, err)
}

// GetOption reads a socket option into buf and returns the length of its value.
//
// Implements: zmq_getsockopt.
func (s *Socket) GetOption(number int, buf []byte) (int, error) {
	return s.configure(func(h *held) int {
		if number == libzmq.OptType && !h.receives() && len(buf) >= 4 {
			return copy(buf, rules.Int(int(s.typ))) // inside libzmq, the PUB is an XPUB
		}
		n := libzmq.GetOption(h.handle, number, buf)
		if number == libzmq.OptLinger && n >= 4 {
			copy(buf, rules.Int(int(h.reportedLinger()/time.Millisecond)))
		}
		if number == libzmq.OptEvents && n >= 4 {
			events := h.visible(int(binary.NativeEndian.Uint32(buf)))
			if h.in.Held() > 0 {
				events |= libzmq.EventIn
			}
			copy(buf, rules.Int(events))
		}
		return n
	})
}

// SetSpinTime sets how long a receive tries before it parks its goroutine. The default is
// park.Adaptive.
func (s *Socket) SetSpinTime(d time.Duration) error {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	h.spinTime = max(d, park.Adaptive)
	return h.state.err()
}

// SpinTime returns the value set by SetSpinTime.
func (s *Socket) SpinTime() (time.Duration, error) {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	return h.spinTime, h.state.err()
}
