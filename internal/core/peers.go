package core

import (
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/peertable"
)

// Peers returns the socket's peers.
func (s *Socket) Peers() []peertable.Peer {
	s.drainSink()
	return s.peers.Peers(func(fd int32, inode uint64) bool { return libzmq.Identify(int(fd)).Inode == inode })
}

// Revoke ends the incoming connections of the socket, except those of peers that keep admits.
// After it returns, nothing that such a peer sends is received.
func (s *Socket) Revoke(keep func(peertable.Peer) bool) error {
	s.drainSink()
	if _, _, missed := s.peers.Look(); missed != nil {
		return missed
	}
	return s.peers.Revoke(keep, func(fd int32, inode uint64) int { return libzmq.EndConnection(int(fd), inode) })
}

// SetTrackPeers makes the socket learn the routing ids and user ids of its peers, or stops
// that.
func (s *Socket) SetTrackPeers(on bool) error {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	if h.state != stateOpen {
		return h.state.err()
	}
	h.learns = on
	s.peers.Learn(on)
	h.classify()
	return nil
}

// TracksPeers returns the value set by SetTrackPeers.
func (s *Socket) TracksPeers() (bool, error) {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	return h.learns, h.state.err()
}

// mostMet is the number of messages that a batch takes at once from a socket that learns.
const mostMet = 64

// attemptMet takes messages for a receive of a socket that learns who its peers are, and
// checks whether there is one. If done is false, the receive finds them in the queue. Only
// this function takes messages from libzmq for the user then, so it sees every first
// message of a peer.
func (s *held) attemptMet(r *request, flags int) (rc, events int, done bool) {
	if r.looks || s.in.Held() > 0 || s.in.More() {
		return 0, 0, false
	}
	most := 1
	if r.batch != nil {
		most = min(r.batch.most, mostMet)
	}
	mark := s.peers.Mark()
	for taken := 0; taken < most; taken++ {
		parts := s.takeIn(flags &^ libzmq.WantEvents)
		if parts > 0 {
			continue
		}
		if parts == -int(syscall.EAGAIN) {
			s.peers.Quiet(mark)
		}
		if taken > 0 {
			break
		}
		if flags&libzmq.WantEvents != 0 {
			events = libzmq.Events(s.handle)
		}
		return parts, events, true
	}
	s.touch()
	return 0, 0, false
}

// meet tells the table of peers who sent a message.
func (s *held) meet(parts []libzmq.Msg) {
	m := &parts[len(parts)-1] // the first part of a ROUTER does not always have the properties
	fd := m.Origin()
	exact := s.typ == libzmq.Router
	id := parts[0].Bytes()
	if fd < 0 || s.track == nil || s.peers.Knows(fd, id, exact) {
		return
	}
	s.track.sink.drain()
	var buf, user [256]byte
	if !exact {
		id = property(m, "Identity", buf[:])
	}
	s.peers.Met(fd, id, string(property(m, "User-Id", user[:])), exact)
}

func property(m *libzmq.Msg, name string, buf []byte) []byte {
	n := m.Property(name, buf)
	if n <= 0 || n > len(buf) {
		return nil
	}
	return buf[:n]
}
