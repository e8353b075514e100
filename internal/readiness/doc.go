// Package readiness waits for file descriptors. It is the kernel side of package poller.
//
// A Set holds two kinds of descriptors. Descriptors with interest Signal are
// edge-triggered. These are libzmq's descriptors, whose level has no meaning. All others
// are level-triggered: a ready descriptor is reported each time, until it is no longer
// ready.
//
// There are three implementations, and the build selects one. Linux uses epoll. macOS and
// the BSDs use kqueue. The descriptor of the epoll or kqueue waits in Go's netpoller, so
// waiting occupies no thread. All other systems, and builds with the tag
// zmq_poll_portable, use zmq_poll, which checks every descriptor each time and waits on a
// thread.
package readiness

// Interest is a set of conditions that a descriptor is watched for.
type Interest uint8

// The conditions that a descriptor can be watched for, and be ready for. Err is always
// reported. Signal cannot be combined with the others. A descriptor with an interest of 0
// is paused: it stays in the set and wakes nothing, except that epoll may report one
// error.
const (
	In Interest = 1 << iota
	Out
	Err
	Pri
	Signal
)

// Ready is a descriptor with an event to report.
type Ready struct {
	Key  uint64
	What Interest // Signal, or the conditions of In, Out, Err and Pri that hold
}
