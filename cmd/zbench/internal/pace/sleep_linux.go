package pace

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Sleep blocks the thread for d. A signal may cut it short.
func Sleep(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	// Its errors are a signal, and a time that is no time, which d is not.
	_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &ts, nil)
}

// Precise keeps the goroutine on its thread, and makes the thread's sleeps end when
// they should: the kernel otherwise puts off the end by up to 50 µs, the timer
// slack, to save power. undo is called by the same goroutine.
func Precise() (undo func()) {
	runtime.LockOSThread()
	// A system that does not know it goes on with the slack.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	return func() {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // 0 is the default
		runtime.UnlockOSThread()
	}
}
