package core

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// serials numbers the sockets of the process.
var serials atomic.Uint64

// inLockOrder returns the sockets, without nil and each once, in the order in which
// they are to be locked: that of their making.
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

// Handle returns libzmq's handle of an open socket, past the mutex: for benchmarks
// that let C use a socket which nobody else touches meanwhile.
func (s *Socket) Handle() libzmq.Socket { return s.handle }
