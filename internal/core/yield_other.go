//go:build !linux

package core

import "runtime"

// yield lets other goroutines run, and with luck other threads.
func yield() { runtime.Gosched() }

const canSpin = false

func readable(int32) bool { return false }
