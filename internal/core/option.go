package core

import (
	"cmp"
	"encoding/binary"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/park"
)

// afterOption contains the functions that record an option after libzmq has accepted it.
// s.mu is held.
var afterOption = map[int]func(s *Socket, value []byte){
	libzmq.OptHelloMsg:       func(s *Socket, value []byte) { s.hello = len(value) > 0 },
	libzmq.OptXPubWelcome:    func(s *Socket, value []byte) { s.welcome = len(value) > 0 },
	libzmq.OptRouterHandover: func(s *Socket, value []byte) { s.handsOver = isOn(value) },
	libzmq.OptConnectID:      func(s *Socket, _ []byte) { s.named = true },
	libzmq.OptSendTimeout:    func(s *Socket, value []byte) { s.limit[Send] = millis(value) },
	libzmq.OptRecvTimeout:    func(s *Socket, value []byte) { s.limit[Recv] = millis(value) },
	libzmq.OptLinger:         func(s *Socket, value []byte) { s.linger, s.lingerSet = millis(value), true },
	libzmq.OptXPubNoDrop: func(s *Socket, value []byte) {
		s.full = FullDrop
		if isOn(value) {
			s.full = FullBlock
		}
	},
	libzmq.OptConflate: func(s *Socket, value []byte) {
		s.conflates.Store(isOn(value))
		if isOn(value) { // drops the message that it replaces
			s.flags |= libzmq.Copy
		}
	},
	libzmq.OptXPubManual:     func(s *Socket, _ []byte) { s.untrack(true) },
	libzmq.OptXPubManualLast: func(s *Socket, _ []byte) { s.untrack(true) },
	libzmq.OptXPubVerbose:    func(s *Socket, _ []byte) { s.untrack(false) },
	libzmq.OptXPubVerboser:   func(s *Socket, _ []byte) { s.untrack(false) },
	libzmq.OptRouterRaw:      func(s *Socket, value []byte) { s.peers.Raw.Store(isOn(value)) },
}

// isOn reports whether the value of an option is a C int other than 0.
func isOn(value []byte) bool { return len(value) == 4 && binary.NativeEndian.Uint32(value) != 0 }

// millis returns the value of an option that is a C int in milliseconds.
func millis(value []byte) time.Duration {
	return time.Duration(int32(binary.NativeEndian.Uint32(value))) * time.Millisecond
}

// SetOption sets a socket option from its representation in memory.
//
// Implements: zmq_setsockopt.
func (s *Socket) SetOption(number int, value []byte) error {
	var fault error
	_, err := s.Configure(func(h libzmq.Socket) int {
		if number == libzmq.OptRouterHandover && isOn(value) && s.ctx.inproc.pendingRouted(s) {
			fault = errHandover
			return 0
		}
		rc := libzmq.SetOption(h, number, value)
		if rc < 0 {
			return rc
		}
		if after := afterOption[number]; after != nil {
			after(s, value)
		}
		return rc
	})
	return cmp.Or(fault, err)
}

// GetOption reads a socket option into buf and returns the length of its value.
//
// Implements: zmq_getsockopt.
func (s *Socket) GetOption(number int, buf []byte) (int, error) {
	return s.Configure(func(h libzmq.Socket) int {
		if number == libzmq.OptType && !s.receives() && len(buf) >= 4 {
			return copy(buf, intValue(s.typ)) // inside libzmq, the PUB is an XPUB
		}
		n := libzmq.GetOption(h, number, buf)
		if number == libzmq.OptLinger && n >= 4 {
			copy(buf, intValue(int(s.reportedLinger()/time.Millisecond)))
		}
		if number == libzmq.OptEvents && n >= 4 {
			events := s.visible(int(binary.NativeEndian.Uint32(buf)))
			if s.in.Held() > 0 {
				events |= libzmq.EventIn
			}
			copy(buf, intValue(events))
		}
		return n
	})
}

// SetSpinTime sets how long a receive tries before it parks its goroutine. The default is
// park.Adaptive.
func (s *Socket) SetSpinTime(d time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spinTime = max(d, park.Adaptive)
	return s.state.err()
}

// SpinTime returns the value set by SetSpinTime.
func (s *Socket) SpinTime() (time.Duration, error) { return get(s, &s.spinTime), s.Err() }
