//go:build unix

package workload

import (
	"syscall"
	"time"
)

// processTime returns the processor time that all threads of the process used.
func processTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
