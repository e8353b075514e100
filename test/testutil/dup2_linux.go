package testutil

import "syscall"

// Dup2 closes the descriptor to and gives its number to a duplicate of from. Linux has no call named
// dup2 on some processors.
func Dup2(from, to int) error { return syscall.Dup3(from, to, 0) }
