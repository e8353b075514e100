//go:build unix && !linux

package readiness_test

import "syscall"

func dup2(from, to int) error { return syscall.Dup2(from, to) }
