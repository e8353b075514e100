//go:build !linux

package zmq

// trySocketOption returns nil: these options exist only on Linux, also in libzmq.
func trySocketOption(int, int) error { return nil }
