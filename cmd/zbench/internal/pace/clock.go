package pace

import (
	"context"
	"time"
)

const (
	// spinBefore is how long before the moment a Spin stops sleeping: more than an
	// undisturbed thread needs to wake up, also on a virtual machine, which first has to
	// get an idle processor back from the host.
	spinBefore = 100 * time.Microsecond
	// atMost is how long a Wait lasts, so that its caller can check for an end.
	atMost = 50 * time.Millisecond
)

// begin is the moment from which all clocks of the process count.
var begin = time.Now()

// Now returns the time on every Real clock of this process.
func Now() time.Duration { return time.Since(begin) }

// Real is the machine's clock. With Spin, Wait sleeps until shortly before the moment and
// then reads the clock in a loop, which keeps a processor busy from 10,000 messages per
// second on.
type Real struct{ Spin bool }

// Now returns the time since the process began.
func (Real) Now() time.Duration { return Now() }

// Wait waits for t, for at most 50 ms. The goroutine should be Precise: it sleeps in the
// kernel, because Go's timers are late by up to a millisecond. It sleeps until a moment, not
// for a duration, so that a delay before the sleep does not add to it.
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

// WaitUntil waits until a time of day, or until ctx is done. Its error is then ctx's cause.
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
