package core

import (
	"context"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A message of a draft type has one part, and the routing id of the peer or the group as
// metadata. Only libzmq can read the metadata, which takes a second call into C.

// RecvFrom is like Recv and also returns the routing id of the peer, or 0 if there is
// none.
func (s *Socket) RecvFrom(ctx context.Context, buf []byte, dontWait bool) (n int, id uint32, err error) {
	m, err := s.nextPart(ctx, dontWait)
	if err != nil {
		return 0, 0, err
	}
	if s.typ == libzmq.Server || s.typ == libzmq.Peer {
		id = uint32(max(m.RoutingID(), 0))
	}
	return s.copyOut(buf, m), id, nil
}

// RecvGroup is like Recv and also returns the group, or "" if there is none.
func (s *Socket) RecvGroup(ctx context.Context, buf []byte, dontWait bool) (n int, group string, err error) {
	m, err := s.nextPart(ctx, dontWait)
	if err != nil {
		return 0, "", err
	}
	if s.typ == libzmq.Dish {
		group, _ = m.Group()
	}
	return s.copyOut(buf, m), group, nil
}

// copyOut copies a part that nextPart returned into buf and returns its size.
func (s *Socket) copyOut(buf []byte, m *libzmq.Msg) int {
	copy(buf, m.Bytes())
	n := m.Len()
	s.donePart(m)
	return n
}
