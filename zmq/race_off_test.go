//go:build !race

package zmq_test

// raceEnabled reports whether the race detector is built in.
const raceEnabled = false
