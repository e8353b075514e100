package pace

import (
	"time"

	"golang.org/x/sys/unix"
)

// Sleep blocks the thread for d. A signal may cut it short.
func Sleep(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	// Its errors are a signal, and a time that is no time, which d is not.
	_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &ts, nil)
}
