//go:build !linux

package pace

import (
	"runtime"
	"time"
)

// Sleep pauses the goroutine for d.
func Sleep(d time.Duration) { time.Sleep(d) }

// Precise keeps the goroutine on its thread. undo is called by the same goroutine.
func Precise() (undo func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
