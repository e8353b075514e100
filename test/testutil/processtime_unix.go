//go:build unix

package testutil

import (
	"syscall"
	"testing"
	"time"
)

// ProcessTime returns the processor time that the process has used.
func ProcessTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
