package zmq

import (
	"time"

	"github.com/go-zmq/go-zmq/internal/core"
)

// Ready returns a channel on which a value can be received while there is a message
// to receive, for a select over sockets and other channels:
//
//	select {
//	case <-s.Ready():
//		m, err := s.RecvMultipart(zmq.DontWait) // ErrAgain: another goroutine has it
//		...
//	case job := <-jobs:
//		...
//	}
//
// No message is taken from the socket, so none can be lost. Receive with DontWait:
// a value can be about a message that has been received meanwhile. What is left is
// told of again, so that one message may be received at a time.
//
// Each call returns the same channel. It is closed when the socket is closed or its
// context is shut down; the receive then says so. Any number of goroutines may use
// it; a value goes to one of them. Ready does not wait. The first call starts a
// goroutine, which sleeps until something arrives and ends with the socket.
// ZMQ_EVENTS.
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

func closedChan() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// readyRetry is how long announce waits when it could not even wait for the socket,
// because the runtime did not take its descriptor.
const readyRetry = 100 * time.Millisecond

// announce offers a value for as long as there is something to receive.
func announce(c *core.Socket, ready chan<- struct{}) {
	defer close(ready)
	done := c.Done()
	for {
		offer, pause := ready, (<-chan time.Time)(nil)
		if c.Await(nil) != nil {
			if c.Err() != nil {
				return
			}
			offer, pause = nil, time.After(readyRetry)
		}
		select {
		case offer <- struct{}{}:
		case <-pause:
		case <-done:
			return
		}
	}
}
