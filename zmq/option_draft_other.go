//go:build !linux

package zmq

// trySocketOption: other systems do not have these options, nor does libzmq there.
func trySocketOption(int, int) error { return nil }
