//go:build unix && !linux

package testutil

import "syscall"

// Dup2 closes the descriptor to and gives its number to a duplicate of from.
func Dup2(from, to int) error { return syscall.Dup2(from, to) }
