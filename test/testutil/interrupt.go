//go:build unix

package testutil

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Interrupt sends the process SIGURG, the signal with which the Go runtime interrupts its threads,
// once per period, or as fast as possible if period is 0. It ends with the test or with stop, which
// returns the number of signals.
func Interrupt(t testing.TB, period time.Duration) (stop func() int) {
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
