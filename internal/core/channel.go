package core

import (
	"context"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// What the Go channels of package zmq stand on: waiting without receiving, and
// giving back what was received.

// Done returns a channel that is closed when the socket is closed, or when it is
// found that its context was shut down.
func (s *Socket) Done() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done == nil {
		s.done = make(chan struct{})
		if s.state != stateOpen {
			close(s.done)
		}
	}
	return s.done
}

// Await is WaitReadable without RecvTimeout: it waits as long as ctx lasts.
func (s *Socket) Await(ctx context.Context) error {
	r := request{kind: waitOnly, dir: Recv, patient: true}
	return s.run(ctx, &r, false)
}

// PutBack gives back a whole message that was received and that nobody got: the
// next receive returns it. The parts are empty then. What is left of a message that
// is being received part by part comes first.
func (s *Socket) PutBack(parts []libzmq.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != stateOpen {
		closeHeld(parts)
		return
	}
	s.stats.Received.takeBack(parts)
	s.in.putBack(parts)
	s.handOver() // R6
	s.touchAll() // no descriptor tells of it
}

// putBack takes over the parts of a message.
func (in *incoming) putBack(parts []libzmq.Msg) {
	at := in.head
	if in.more {
		at += in.rest()
	}
	all := make([]libzmq.Msg, 0, in.pending()+len(parts))
	all = append(all, in.msgs[in.head:at]...)
	all = append(all, parts...)
	all = append(all, in.msgs[at:in.n]...)
	closeHeld(in.msgs[:in.head])
	clear(in.msgs[in.head:in.n]) // moved
	clear(parts)
	in.msgs, in.head, in.n, in.known = all, 0, len(all), 0
}
