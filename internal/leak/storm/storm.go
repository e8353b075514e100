//go:build unix

// Package storm interrupts the process's system calls for tests, with the signal with
// which the Go runtime interrupts its threads.
package storm

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Start sends the process a SIGURG each period, and with 0 as many as can be, until stop
// is called, which returns how many they were. The test's end calls it, too.
func Start(t testing.TB, period time.Duration) (stop func() int) {
	t.Helper()
	over := make(chan struct{})
	var sending sync.WaitGroup
	signals := 0
	sending.Go(func() {
		for next := time.Now(); ; signals++ {
			select {
			case <-over:
				return
			default:
			}
			if err := syscall.Kill(syscall.Getpid(), syscall.SIGURG); err != nil {
				t.Error(err)
				return
			}
			next = next.Add(period)
			if d := time.Until(next); d > 0 {
				time.Sleep(d) // the pace of the signals
			} else {
				runtime.Gosched()
			}
		}
	})
	stop = sync.OnceValue(func() int {
		close(over)
		sending.Wait()
		return signals
	})
	t.Cleanup(func() { stop() })
	return stop
}
