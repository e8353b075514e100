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

var alreadyEnded = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Ended returns a channel that is closed when the socket is closed or its context
// is shut down.
func (s *Socket) Ended() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.state != stateOpen:
		return alreadyEnded
	case s.ended == nil:
		s.ended = make(chan struct{})
	}
	return s.ended
}

// end closes what Ended returned. s.mu is held.
func (s *Socket) end() {
	if s.ended != nil {
		close(s.ended)
		s.ended = nil
	}
}

// Handle returns libzmq's handle of an open socket, past the mutex: for benchmarks
// that let C use a socket which nobody else touches meanwhile.
func (s *Socket) Handle() libzmq.Socket { return s.handle }
