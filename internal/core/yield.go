package core

import (
	"sync/atomic"
	"time"
)

// Yield lets other threads run, above all libzmq's, which may be about to deliver. It
// returns how long that took, less than 0 if there was no yielding.
//
// Threads of other programs run meanwhile, too, and on a machine that is busy with them
// it can take milliseconds, each time, where to sleep and be woken takes microseconds:
// who has slept goes first. Whoever found nothing afterwards says so with YieldedInVain,
// and there is no yielding in this process for a while, the longer, the more often that
// happens. What took long because libzmq's thread worked, and found something, is well
// spent: without it PUSH to PULL of 1 KiB took a tenth longer.
func Yield() time.Duration { return backoff.yield(yield) }

// YieldedInVain notes that nothing came of a Yield that took so long, and reports whether
// another is not worth while.
func YieldedInVain(took time.Duration) bool { return backoff.vain(took) }

const (
	yieldLong  = time.Millisecond      // libzmq's threads deliver something within that
	crowdFirst = 10 * time.Millisecond // without yields after a long one
	crowdMost  = time.Second           // the same at most
)

// start is what the times below count from.
var start = time.Now()

// backoff is when the machine was last busy with others. Of two goroutines that note that
// at once both may, which does no harm.
var backoff yieldBackoff

type yieldBackoff struct {
	until atomic.Int64 // there is no yielding before this
	pause atomic.Int64 // how long that was
}

func (c *yieldBackoff) yield(yield func()) time.Duration {
	began := time.Since(start)
	if began < time.Duration(c.until.Load()) {
		return -1
	}
	yield()
	return time.Since(start) - began
}

func (c *yieldBackoff) vain(took time.Duration) bool {
	if took > yieldLong {
		c.note(time.Since(start))
	}
	return took < 0 || took > yieldLong
}

// note begins a pause, one that is twice as long soon after the last.
func (c *yieldBackoff) note(now time.Duration) {
	if now < time.Duration(c.until.Load()) {
		return // somebody else has noted the same
	}
	pause := time.Duration(c.pause.Load())
	if again := now < time.Duration(c.until.Load())+8*pause; again {
		pause = min(2*pause, crowdMost)
	} else {
		pause = crowdFirst
	}
	c.pause.Store(int64(pause))
	c.until.Store(int64(now + pause))
}
