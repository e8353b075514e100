package core

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Before it parks, a receiver naps: it waits for the socket's descriptor on its own
// thread, for a millisecond at most. The kernel wakes that thread sooner than Go's
// netpoller wakes the watcher, and that a waiter. It is worth a thread only while
// messages come soon, so that few may nap at a time, and a nap in vain makes the next
// ones on that socket rarer.
//
// Medians of interleaved runs on two cores, in µs, without naps, with, and the same loop
// in C: DEALER to DEALER and back over tcp 130, 76, 77; DEALER to ROUTER and back 103, 80,
// 73; REQ to REP 108, 77, 77. With many messages under way naps cost time instead (100
// requests in batches: 2.0 and 2.3 µs each), so that a socket that has received several
// since its last wait has none.
//
// No wake-up depends on naps. The receiver is in no list meanwhile, so that a signal
// that somebody else uses up is noticed only at the nap's end, when it tries again and
// enters its list by R1. Sockets that several goroutines use at once therefore have no
// naps any more once that was seen.
type naps struct {
	last   uint64 // messages received when somebody waited last
	fd     int32  // ZMQ_FD, and one more, so that 0 is unknown
	good   uint16 // naps in a row that ended with something received
	need   uint16 // of which so many end the netpoller's watching; 0: napGood
	skip   uint8  // waits that go by without a nap
	vain   uint8  // how many that will be after the next nap in vain
	taken  bool   // somebody naps
	shared bool   // somebody else used the socket during a nap
}

const (
	napLength   = 1       // milliseconds
	napMessages = 2       // received since the last wait: of more, the next is better left to gather
	napTries    = 4       // commands that bring nothing to receive, before the receiver parks
	napGood     = 16      // naps in a row before the netpoller's watching is ended
	napNeed     = 1 << 14 // the same at most: four times as many each time, since watching anew allocates
	napVain     = 128     // waits without a nap at most
)

// nappers is how many naps may begin in this process: more threads than processors
// would only get in each other's way.
var nappers atomic.Int32

func init() { nappers.Store(int32(max(runtime.GOMAXPROCS(0), 2))) }

// mayNap reports whether a receiver that found nothing should nap. s.mu is held.
func (s *Socket) mayNap(deadline time.Time) bool {
	n := &s.naps
	got := s.stats.Received.Messages - n.last
	n.last += got
	switch {
	case !s.far || !s.pollable || n.shared || n.taken || s.waiting() > 0 || len(s.observers) > 0:
		return false
	case got > napMessages:
		return false
	case n.skip > 0:
		n.skip--
		return false
	case !deadline.IsZero() && time.Until(deadline) < 2*napLength*time.Millisecond:
		return false
	}
	if n.fd == 0 {
		fd, err := s.signalFD()
		if err != nil {
			return false
		}
		n.fd = int32(fd) + 1
	}
	return true
}

// nap tries to receive after naps. It returns again if the receiver is to park. s.mu is
// held, but not during a nap.
func (s *Socket) nap(r *request) int {
	n := &s.naps
	if s.naps.taken || s.waiting() > 0 { // since it gave way
		return again
	}
	if nappers.Add(-1) < 0 {
		nappers.Add(1)
		return again
	}
	defer nappers.Add(1)
	for range napTries {
		if n.good >= max(n.need, napGood) && s.fd != nil {
			n.good, n.need = 1, min(4*max(n.need, napGood), napNeed)
			file := s.unwatch()
			if file != nil {
				s.mu.Unlock()
				file.Close() // it waits for the watcher, which waits for s.mu
				s.mu.Lock()
			}
		}
		fds := [1]int32{n.fd - 1}
		n.taken = true
		s.mu.Unlock()
		over := libzmq.Nap(fds[:], napLength)
		s.mu.Lock()
		n.taken = false
		if s.state != stateOpen {
			return again
		}
		if rc := s.try(r); rc != again {
			n.vain = 0
			n.good = min(n.good+1, napNeed)
			return rc
		}
		if over {
			break
		}
	}
	n.good = 0
	n.skip = n.vain
	n.vain = min(2*n.vain+1, napVain-1)
	return again
}
