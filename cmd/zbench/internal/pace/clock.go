package pace

import "time"

const (
	// spinBefore is how long before the moment a Spin stops to sleep: what a thread
	// that is not disturbed needs to wake up, on a virtual machine too.
	spinBefore = 50 * time.Microsecond
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
// kernel, since Go's timers are late by up to a millisecond.
func (c Real) Wait(t time.Duration) {
	left := t - Now()
	if left > atMost {
		Sleep(atMost)
		return
	}
	if !c.Spin {
		if left > 0 {
			Sleep(left)
		}
		return
	}
	if left > spinBefore {
		Sleep(left - spinBefore)
	}
	for Now() < t {
	}
}
