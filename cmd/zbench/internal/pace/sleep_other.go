//go:build !linux

package pace

import (
	"runtime"
	"time"
)

// Sleep pauses the goroutine for d.
func Sleep(d time.Duration) { time.Sleep(d) }

// SleepUntil pauses the goroutine until Now is t.
func SleepUntil(t time.Duration) { time.Sleep(t - Now()) }

// Precise locks the goroutine to its thread. The same goroutine must call undo.
func Precise() (undo func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
