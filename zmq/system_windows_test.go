package zmq

import (
	"runtime/pprof"
	"syscall"
	"testing"
)

const soType = 0x1008 // SO_TYPE

func socketOption(fd, level, option int) (int, error) {
	return syscall.GetsockoptInt(syscall.Handle(fd), level, option)
}

func requireNotInherited(*testing.T, handle) {}

// mostSockets returns how many sockets can wait. Each takes a pair of TCP connections,
// which wine opens slowly.
func mostSockets(*testing.T) int { return 1000 }

// threads returns how many threads Go has started, for calls into C that block among
// others.
func threads(*testing.T) int { return pprof.Lookup("threadcreate").Count() }
