//go:build !linux

package zmq

import "runtime"

// cpuUsable reports whether the machine has a CPU with this number. libzmq ignores affinity
// on these systems.
func cpuUsable(cpu int) (bool, error) { return cpu < runtime.NumCPU(), nil }
