package poller_test

import "syscall"

// dup2 puts what is open as one descriptor in place of another. Not every processor's
// Linux has the call of that name.
func dup2(from, to int) error { return syscall.Dup3(from, to, 0) }
