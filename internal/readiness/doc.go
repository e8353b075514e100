// Package readiness waits for file descriptors: package poller's kernel side.
//
// A Set holds two kinds. Those of interest Signal are watched for edges: libzmq's
// descriptors, of which the level says nothing. The others are watched for their
// level: what is ready is reported each time, until it is not.
//
// There are three implementations, of which the build takes one: epoll on Linux and
// kqueue on macOS and the BSDs, whose own descriptor waits in Go's netpoller, so that
// waiting holds no thread; and zmq_poll (the build tag zmq_poll_portable, and all
// other systems), which looks at every descriptor each time and waits on a thread.
package readiness

// Interest says what a descriptor is watched for.
type Interest uint8

// What a descriptor can be watched for, and be ready for. Err is reported whether it
// was asked for or not. Signal stands alone. A descriptor with an interest of 0 is
// paused: it stays in the set and wakes nothing, except that epoll may report one error.
const (
	In Interest = 1 << iota
	Out
	Err
	Pri
	Signal
)

// Ready is a descriptor of which there is something to tell.
type Ready struct {
	Key  uint64
	What Interest // Signal, or those of In, Out, Err and Pri that hold
}
