//go:build !linux

package spin

// yield does nothing: Yield lets other goroutines run, and with luck other threads.
func yield() {}
