package core

import (
	"context"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// The Go channels of package zmq use the operations of this file: receiving without
// waiting, waiting without receiving, and giving back a received message.

// Done returns a channel that is closed when the socket is closed, or when the socket
// notices that its context was shut down.
func (s *shared) Done() <-chan struct{} { return s.done }

// Poll is like RecvMsgs with dontWait, but its EAGAIN is not counted, because the program did
// not ask for it. Poll does not release *dst if it fails.
func (s *Socket) Poll(ctx context.Context, dst *[]libzmq.Msg) error {
	return s.recvMsgs(ctx, dst, true, false)
}

// Await is like Wait for Recv but ignores RecvTimeout: it waits until ctx is done.
func (s *Socket) Await(ctx context.Context) error {
	r := request{dir: Recv, looks: true, patient: true}
	return s.run(ctx, r.dir, nil, &r, false)
}

// PutBack gives back whole messages that were received but not delivered. The next
// receives return them. If a message is being received part by part, its remaining parts
// come first. PutBack empties parts.
func (s *Socket) PutBack(parts []libzmq.Msg) {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	h.stats.Received.takeBack(parts)
	if h.state != stateOpen {
		libzmq.CloseMsgs(parts)
		return
	}
	h.in.PutBack(parts)
	h.handOver() // R6
	h.touchAll() // no descriptor reports it
}
