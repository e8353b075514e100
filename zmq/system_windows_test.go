package zmq

import (
	"runtime/pprof"
	"testing"
)

// SO_TYPE

func requireNotInherited(*testing.T, handle) {}

// mostSockets returns how many sockets can wait. Each takes a pair of TCP connections,
// which wine opens slowly.
func mostSockets(*testing.T) int { return 1000 }

// threads returns how many threads Go has started, for calls into C that block among
// others.
func threads(*testing.T) int { return pprof.Lookup("threadcreate").Count() }
