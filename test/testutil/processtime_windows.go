package testutil

import (
	"syscall"
	"testing"
	"time"
)

// ProcessTime returns the processor time that the process has used.
func ProcessTime(t testing.TB) time.Duration {
	t.Helper()
	process, err := syscall.GetCurrentProcess()
	if err != nil {
		t.Fatal(err)
	}
	var creation, exit, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(process, &creation, &exit, &kernel, &user); err != nil {
		t.Fatal(err)
	}
	units := func(f syscall.Filetime) time.Duration { // of 100 ns
		return time.Duration(f.HighDateTime)<<32 | time.Duration(f.LowDateTime)
	}
	return 100 * (units(kernel) + units(user))
}
