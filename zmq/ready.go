package zmq

import (
	"context"

	"github.com/go-zmq/go-zmq/internal/core"
)

// Ready returns a channel that delivers a value while there is a message to receive. It
// lets a select statement wait for sockets and other channels:
//
//	select {
//	case <-s.Ready():
//		m, err := s.RecvMultipart(ctx, zmq.DontWait) // ErrAgain: another goroutine has it
//		...
//	case job := <-jobs:
//		...
//	}
//
// Ready does not take messages from the socket, so none can be lost. Receive with
// DontWait, because another goroutine may have received the message. While messages are
// left, the channel delivers further values, so it is enough to receive one message per
// value.
//
// Each call returns the same channel. Any number of goroutines may receive from it; each
// value goes to one of them. The channel is closed when the socket is closed or its
// context is shut down; receiving from the socket then returns ErrClosed or
// ErrTerminated. Ready does not block. The first call starts a goroutine that sleeps
// until a message arrives and ends with the socket.
//
// Implements: zmq_getsockopt(ZMQ_EVENTS).
func (s *Socket) Ready() <-chan struct{} {
	c, err := s.live("recv")
	if err != nil {
		return closedChan()
	}
	s.readyOnce.Do(func() {
		ready := make(chan struct{})
		s.ready = ready
		go announce(c, ready)
	})
	return s.ready
}

func closedChan() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// announce offers values while there is something to receive.
func announce(c *core.Socket, ready chan<- struct{}) {
	defer close(ready)
	done := c.Done()
	for c.Await(context.Background()) == nil {
		select {
		case ready <- struct{}{}:
		case <-done:
			return
		}
	}
}
