package poller_test

import "syscall"

// dup2 replaces a descriptor by another. Linux does not have the call of that name on
// every processor.
func dup2(from, to int) error { return syscall.Dup3(from, to, 0) }
