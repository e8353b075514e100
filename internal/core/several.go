package core

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// serials numbers the sockets of the process.
var serials atomic.Uint64

// inLockOrder returns the sockets, without nil and duplicates, in the order in which they
// must be locked. That is the order in which they were created.
func inLockOrder(sockets ...*Socket) []*Socket {
	sockets = slices.DeleteFunc(sockets, func(s *Socket) bool { return s == nil })
	slices.SortFunc(sockets, func(a, b *Socket) int { return cmp.Compare(a.serial, b.serial) })
	return slices.Compact(sockets)
}

func lockAll(sockets []*Socket) {
	for _, s := range sockets {
		s.mu.Lock()
	}
}

func unlockAll(sockets []*Socket) {
	for _, s := range sockets {
		s.mu.Unlock()
	}
}

// Handle returns the libzmq handle of an open socket without the mutex. It is for
// benchmarks in which C uses a socket that no goroutine uses at the same time.
func (s *Socket) Handle() libzmq.Socket { return s.handle }
