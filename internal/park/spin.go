package park

import (
	"runtime"
	"sync/atomic"
	"time"
)

const (
	maxTime      = 100 * time.Microsecond
	maxMessages  = 2 // if more came since the last wait, a receiver spins for maxLooks
	maxLooks     = 3
	maxSkips     = 127 // waits without a spin at most, after spins in vain
	settledAfter = 16  // consecutive successful spins before Settled is first true
)

// Adaptive is the limit of a spin whose time depends on the results of the previous ones.
const Adaptive = time.Duration(-1)

// spinners is the number of spins in progress. While goroutines spin on all processors,
// Go's scheduler polls the network only every 10 ms, because it always finds a goroutine to
// run. Every watcher and every net.Conn of the process would wait for that. So once per
// refuseEvery, a spin on the last processor is refused: the goroutine parks, and the
// processor polls the network. With GOMAXPROCS=1, only looks and SpinTime remain.
var (
	spinners atomic.Int32
	refused  atomic.Int64 // the last time, since started
	started  = time.Now()
)

// Processors is the number of processors among which join divides the spins. Spins with a
// limit of the user's, or for a few looks, are not counted. It is a variable so that tests
// can raise it.
var Processors = int32(runtime.GOMAXPROCS(0))

const refuseEvery = time.Millisecond

// join reports whether one more goroutine may spin, and counts it.
func join() bool {
	n := spinners.Add(1)
	if n < Processors {
		return true
	}
	if n == Processors && n > 1 {
		now := int64(time.Since(started))
		if now-refused.Load() < int64(refuseEvery) {
			return true
		}
		refused.Store(now)
	}
	spinners.Add(-1)
	return false
}

// Spin is the state of the spins of a socket or a poller. Its owner guards it, and
// ends every spin with Found, InVain or Stop.
type Spin struct {
	until    time.Time // the end of this spin; zero if there is none
	looks    uint8     // looks of this spin if its end is not a time
	adaptive bool      // this spin counts as one of the spinners
	skip     uint8     // waits that go by without a spin
	vain     uint8     // value of skip after the next unsuccessful spin
	good     uint32    // successful spins in a row
	need     uint32    // value of good at which the watcher stops
}

// Again reports whether a goroutine that found nothing should yield and look again before
// it parks. The first call of a wait begins the spin. got is the number of messages since
// the last wait. A limit of 0 or more replaces the adaptive one.
func (p *Spin) Again(limit time.Duration, got uint64) bool {
	switch {
	case !p.until.IsZero():
		if time.Now().Before(p.until) {
			return true
		}
		p.InVain()
		return false
	case limit >= 0:
		p.looks = 0 // the limit was set during the spin
		if limit > 0 {
			p.until = time.Now().Add(limit)
		}
		return limit > 0
	case got > maxMessages:
		p.looks = (p.looks + 1) % (maxLooks + 1)
		return p.looks > 0
	case p.skip > 0:
		p.skip--
		return false
	case !join():
		return false
	}
	p.until, p.adaptive = time.Now().Add(maxTime), true
	return true
}

// Active reports whether a spin has begun and not ended.
func (p *Spin) Active() bool { return p.looks > 0 || !p.until.IsZero() }

// Found ends the spin, if there is one. It was successful if it ended in time. On a busy
// machine a yield can take milliseconds, and parking is better.
func (p *Spin) Found() {
	if p.until.IsZero() {
		p.looks = 0
		return
	}
	if time.Now().After(p.until) {
		p.InVain()
		return
	}
	p.Stop()
	p.vain = 0
	p.good++
}

// InVain ends the spin, if there is one, and makes the next ones rarer.
func (p *Spin) InVain() {
	if !p.until.IsZero() {
		p.Stop()
		p.good = 0
		p.skip = p.vain
		p.vain = min(2*p.vain+1, maxSkips)
	}
}

// Stop ends the spin, if there is one, without judging it.
func (p *Spin) Stop() {
	if p.adaptive {
		spinners.Add(-1)
	}
	p.until, p.looks, p.adaptive = time.Time{}, 0, false
}

// Settled reports whether enough consecutive spins succeeded to stop the watcher of the
// socket, and begins to count anew if they did. While receivers spin, each signal wakes the
// watcher for nothing. The next wait that parks starts a new watcher, which allocates. So
// Settled requires four times as many spins each time.
func (p *Spin) Settled() bool {
	need := max(p.need, settledAfter)
	if p.good < need {
		return false
	}
	p.good, p.need = 0, 4*need
	return true
}

// Yield lets other threads run, above all libzmq's, and other goroutines.
func Yield() {
	yield()
	runtime.Gosched()
}
