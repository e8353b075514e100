//go:build !linux

package pace

import (
	"errors"
	"runtime"
	"time"
)

// Sleep pauses the goroutine for d.
func Sleep(d time.Duration) { time.Sleep(d) }

// SleepUntil pauses the goroutine until Now is t.
func SleepUntil(t time.Duration) { time.Sleep(t - Now()) }

// Precise keeps the goroutine on its thread. undo is called by the same goroutine.
func Precise() (undo func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// Urgent fails: there is no priority here that a thread could have of its own.
func Urgent() (undo func(), err error) {
	return nil, errors.New("this system gives no thread a priority of its own")
}
