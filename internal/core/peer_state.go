package core

import "github.com/go-zmq/go-zmq/internal/libzmq"

// PeerState returns the events for which the peer with the given routing id is ready.
func (s *Socket) PeerState(id []byte) (int, error) {
	return s.configure(func(h libzmq.Socket) int { return libzmq.PeerState(h, id) })
}
