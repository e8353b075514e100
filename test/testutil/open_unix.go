//go:build unix

package testutil

import "syscall"

// Open returns an error unless the descriptor is open.
func Open(fd int) error { return syscall.Fstat(fd, new(syscall.Stat_t)) }
