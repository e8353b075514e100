package testutil

import (
	"testing"
	"time"
)

// Interrupt skips the test, because nothing interrupts the threads of a process on Windows.
func Interrupt(t testing.TB, _ time.Duration) (stop func() int) {
	t.Skip("Windows has no signals")
	return nil
}
