package core

import (
	"os"
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
// No wake-up depends on naps. The receiver is in no list during a nap. If another
// goroutine uses up a signal, the receiver notices at the end of the nap, when it tries again
// and enters its list by R1. Sockets that several goroutines use at once therefore stop
// napping as soon as that was seen.
type naps struct {
	last   uint64 // messages received at the last wait
	sent   uint64 // messages sent then
	fd     int32  // ZMQ_FD, and one more, so that 0 is unknown
	good   uint16 // naps in a row that ended with something received
	need   uint16 // of which so many end the netpoller's watching; 0: napGood
	skip   uint8  // waits that go by without a nap
	vain   uint8  // how many that will be after the next nap in vain
	still  uint8  // naps that go by without spinning
	futile uint8  // how many that will be after the next spinning in vain
	calm   uint8  // waits in a row before which it sent, and received no more than napMessages
	taken  bool   // a goroutine naps
	shared bool   // another goroutine used the socket during a nap
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
	got, sent := s.stats.Received.Messages-n.last, s.stats.Sent.Messages-n.sent
	n.last, n.sent = n.last+got, n.sent+sent
	if sent == 0 || got > napMessages {
		n.calm = 0
	} else if n.calm < spinCalm {
		n.calm++
	}
	switch {
	case !s.far || !s.pollable || n.shared || n.taken || s.waiting() > 0 || len(s.observers) > 0:
		return false
	case got > napMessages:
		return false
	case n.skip > 0:
		n.skip--
		return false
	case !timeToNap(deadline):
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

// timeToNap reports whether the deadline, if there is one, leaves time for a nap.
func timeToNap(deadline time.Time) bool {
	return deadline.IsZero() || time.Until(deadline) >= 2*napLength*time.Millisecond
}

// nap tries to receive after naps. It returns again if the receiver is to park. s.mu is
// held, but not during a nap.
func (s *Socket) nap(r *request, deadline time.Time) int {
	n := &s.naps
	if n.taken || s.waiting() > 0 { // since it yielded
		return again
	}
	if nappers.Add(-1) < 0 {
		nappers.Add(1)
		return again
	}
	defer nappers.Add(1)
	spun := s.spinsNext()
	if n.calm == spinCalm {
		s.spin()
	}
	if spun && s.state == stateOpen { // also in vain: s.mu was released (R1)
		if rc := s.try(r); rc != again {
			n.pays()
			return rc
		}
	}
	for range napTries {
		if s.state != stateOpen || !timeToNap(deadline) {
			return again
		}
		over := s.napOnce()
		if s.state != stateOpen {
			return again
		}
		if rc := s.try(r); rc != again {
			n.pays()
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

// napOnce naps, and reports whether the nap took its full time. s.mu is held, but not during
// the nap.
func (s *Socket) napOnce() (over bool) {
	n := &s.naps
	n.taken = true
	var file *os.File
	if n.good >= max(n.need, napGood) && s.fd != nil {
		n.good, n.need = 1, min(4*max(n.need, napGood), napNeed)
		file = s.unwatch()
	}
	fds := [1]int32{n.fd - 1}
	s.mu.Unlock()
	if file != nil {
		file.Close() // it waits for the watcher, which waits for s.mu
	}
	over = libzmq.Nap(fds[:], napLength)
	s.mu.Lock()
	n.taken = false
	return over
}

// pays notes that something was received after a nap.
func (n *naps) pays() { n.vain, n.good = 0, min(n.good+1, napNeed) }

// A receiver that has sent something and naps for the reply first spins: it looks at the
// descriptor again and again, and lets other threads run in between. The reply often comes within
// the time that it takes to put a processor to sleep and to wake it, above all in a
// virtual machine.
//
// Medians of interleaved runs on two virtual processors, in µs, of a request and its
// reply over tcp, DEALER to ROUTER and REQ to REP: with naps alone 92 and 85, spinning
// 53 and 52, with a fifth more of processor time; with 30 µs of it no gain.
//
// Other goroutines have their turn meanwhile, too: a conversation whose replies all come
// while it spins never parks, and without that the runtime takes the processor away from
// it only after 10 ms. With as many conversations as processors, round trips took 1.2 ms
// at the 99th percentile then, and take 0.3.
//
// A receiver that only receives does not spin: it is better off with several messages at
// once. Nor does one whose replies take longer, most of the
// time, or on a machine that is so busy that others run for long in between.
const (
	spinLength = 100 * time.Microsecond // and until the others have had their turn
	spinFutile = 128                    // naps without spinning at most
	spinCalm   = 16                     // waits of a conversation in a row before the first spinning
)

// spinning is set when the process began with more than one processor: with one, no
// thread that could answer runs during a spin.
var spinning = canSpin && runtime.GOMAXPROCS(0) > 1

// spinsNext reports whether a receiver that may nap spins first.
func (s *Socket) spinsNext() bool {
	return spinning && s.naps.calm == spinCalm && s.naps.still == 0
}

// spin reports whether the descriptor became readable. s.mu is held, but not during the spin.
func (s *Socket) spin() bool {
	n := &s.naps
	if !spinning {
		return false
	}
	if n.still > 0 {
		n.still--
		return false
	}
	n.taken = true
	s.mu.Unlock()
	found, soon := false, true
	for began := time.Now(); soon && !found; {
		took := Yield()
		runtime.Gosched()
		found = readable(n.fd - 1)
		soon = took >= 0 && took <= yieldLong && time.Since(began) < spinLength
		if !found {
			YieldedInVain(took)
		}
	}
	s.mu.Lock()
	n.taken = false
	if found && soon {
		n.futile = 0
	} else {
		n.still = n.futile
		n.futile = min(2*n.futile+1, spinFutile-1)
	}
	return found
}
