package core

import (
	"context"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A message of a draft type has one part, and the routing id of the peer or the group as
// metadata. Only libzmq can read the metadata, which takes a second call into C.

// RecvAddressed is like Recv. On a SERVER or PEER it also returns the routing id of the
// peer, and on a DISH the group.
func (s *Socket) RecvAddressed(ctx context.Context, buf []byte, dontWait bool) (n int, id uint32, group string, err error) {
	if err := ctx.Err(); err != nil {
		return 0, 0, "", err
	}
	h := s.lock.Lock()
	defer s.lock.Unlock()
	m, err := h.nextPart(ctx, dontWait)
	if err != nil {
		return 0, 0, "", err
	}
	switch s.typ {
	case libzmq.Server, libzmq.Peer:
		id = uint32(max(m.RoutingID(), 0))
	case libzmq.Dish:
		group, _ = m.Group()
	}
	copy(buf, m.Bytes())
	n = m.Len()
	donePart(m)
	return n, id, group, nil
}
