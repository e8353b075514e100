//go:build unix

package load

import (
	"syscall"
	"time"
)

// processTime returns the processor time that the process has used.
func processTime() time.Duration {
	var u syscall.Rusage
	// It fails for an unknown "who" only.
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
