//go:build unix

package account_test

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"
)

// interrupt sends the process a storm of the signal by which Go's runtime interrupts
// threads, at some 10 kHz: system calls end with EINTR.
func interrupt(t testing.TB) {
	repeat(t, 100*time.Microsecond, func(*rand.Rand) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGURG)
		totals.fault(interrupts, 1)
	})
}
