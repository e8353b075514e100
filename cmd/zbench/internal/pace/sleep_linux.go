package pace

import (
	"fmt"
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

const (
	urgent = -20 // the highest of the ordinary priorities, as nice values go
	// worst is where the kernel counts nice values from, backwards, when it is asked
	// for one.
	worst = 20
)

// Urgent is Precise for a thread that other threads are not to hold up. It fails where
// the system does not allow that, see Allowed. Threads that Go starts meanwhile do not
// inherit it, since Go starts none from a goroutine's own thread.
func Urgent() (undo func(), err error) {
	imprecise := Precise()
	before, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err == nil {
		err = unix.Setpriority(unix.PRIO_PROCESS, 0, urgent)
	}
	if err != nil {
		imprecise()
		return nil, fmt.Errorf("a thread that goes before all others takes root, CAP_SYS_NICE or 'ulimit -e %d' (%w)", worst-urgent, err)
	}
	return func() {
		if unix.Setpriority(unix.PRIO_PROCESS, 0, worst-before) != nil {
			// Another goroutine on this thread would be urgent for good: the thread ends
			// with this goroutine, which stays locked to it.
			return
		}
		imprecise()
	}, nil
}
