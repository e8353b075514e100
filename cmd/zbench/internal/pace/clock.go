package pace

import (
	"context"
	"time"
)

const (
	// spinBefore is how long before the moment a Spin stops to sleep: more than a thread
	// that is not disturbed needs to wake up, on a virtual machine too, where a processor
	// that has gone idle has to be given back by the host first.
	spinBefore = 100 * time.Microsecond
	// atMost is how long a Wait lasts, so that its caller can look for an end.
	atMost = 50 * time.Millisecond
)

// begin is the moment from which all clocks of the process count.
var begin = time.Now()

// Now returns the time on every Real clock of this process.
func Now() time.Duration { return time.Since(begin) }

// Real is the machine's clock. A Spin sleeps until shortly before the moment and
// then looks at the clock over and over, which keeps a processor busy at 10,000
// messages a second and more.
type Real struct{ Spin bool }

// Now returns the time since the process began.
func (Real) Now() time.Duration { return Now() }

// Wait waits for t, or 50 ms. The goroutine should be Precise: it sleeps in the
// kernel, since Go's timers are late by up to a millisecond. It sleeps until a moment
// and not for a while, so that what holds the thread up before it sleeps is no part
// of the sleep.
func (c Real) Wait(t time.Duration) {
	now := Now()
	switch left := t - now; {
	case left > atMost:
		SleepUntil(now + atMost)
		return
	case !c.Spin:
		if left > 0 {
			SleepUntil(t)
		}
		return
	case left > spinBefore:
		SleepUntil(t - spinBefore)
	}
	for Now() < t {
	}
}

// WaitUntil waits until a time of day has come, or ctx ends; its error is then ctx's cause.
func WaitUntil(ctx context.Context, t time.Time) error {
	if t.IsZero() {
		return nil
	}
	timer := time.NewTimer(time.Until(t.Round(0))) // by the clock that hosts share
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
