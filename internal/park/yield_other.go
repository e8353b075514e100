//go:build !linux

package park

// yield does nothing: Yield lets other goroutines run, and with luck other threads.
func yield() {}
