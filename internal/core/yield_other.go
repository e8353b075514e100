//go:build !linux

package core

import "runtime"

// Yield lets other goroutines run, and with luck other threads.
func Yield() { runtime.Gosched() }
