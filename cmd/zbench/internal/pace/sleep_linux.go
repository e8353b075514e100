package pace

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// origin is Now's zero on the clock of the kernel's sleeps.
var origin = monotonic() - Now()

func monotonic() time.Duration {
	var ts unix.Timespec
	// It has no error with a clock that every kernel has.
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return time.Duration(ts.Nano())
}

// Sleep blocks the thread for d. A signal may cut it short.
func Sleep(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	// Its errors are a signal, and a time that is no time, which d is not.
	_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &ts, nil)
}

// SleepUntil blocks the thread until Now is t. A signal may cut it short.
func SleepUntil(t time.Duration) {
	ts := unix.NsecToTimespec(int64(origin + t))
	_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil) // as in Sleep
}

// Precise locks the goroutine to its thread and ends the sleeps of the thread on time.
// Otherwise the kernel delays them by up to 50 µs, the timer slack, to save power. The
// same goroutine must call undo.
func Precise() (undo func()) {
	runtime.LockOSThread()
	// A system that does not know it goes on with the slack.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	return func() {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // 0 is the default
		runtime.UnlockOSThread()
	}
}
