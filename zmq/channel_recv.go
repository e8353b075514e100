package zmq

import (
	"context"

	"github.com/go-zmq/go-zmq/internal/core"
)

// RecvChan hands the messages that a socket receives to a Go channel. Any number of
// goroutines may receive from C and call its methods. Make one with
// [Socket.RecvChan], and Stop it unless its context or the socket ends it.
type RecvChan struct {
	// C yields whole messages, which belong to whoever receives them. It is closed
	// when no more will come; Err then says why.
	C <-chan [][]byte

	cancel context.CancelFunc
	done   chan struct{} // closed before C
	err    error
}

// RecvChan starts a goroutine that receives from the socket, and offers each message
// on the channel C of what it returns, until ctx ends, Stop is called or the socket
// is closed. It does not wait; RecvTimeout does not count.
//
// The channel has no buffer: at any time one message is on offer, and the others
// are still in the socket. If nobody has taken it when ctx ends or Stop is called, it
// goes back, and is the next that the socket receives. So each message goes to one
// receiver, whether from C or from the socket, and none is lost, except those that
// a socket holds when it is closed. Other goroutines may receive whole messages from
// the socket at the same time, and there may be several RecvChans.
//
// A select over a socket does not need a RecvChan: see Ready. zmq_msg_recv.
func (s *Socket) RecvChan(ctx context.Context) *RecvChan {
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithCancel(ctx)
	c := make(chan [][]byte)
	r := &RecvChan{C: c, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(c)
		defer close(r.done)
		defer cancel()
		r.err = s.offer(ctx, c)
	}()
	return r
}

// offer receives messages and hands them over, until it cannot.
func (s *Socket) offer(ctx context.Context, to chan<- [][]byte) error {
	c, err := s.live("recv")
	if err != nil {
		return err
	}
	// The message is held as libzmq's until somebody has its copy: it goes back as it
	// came, and without needing memory.
	var held Multipart
	defer func() { _ = held[:cap(held)].Close() }()
	done := c.Done()
	for {
		if err := s.recvHeld(ctx, c, &held); err != nil {
			return err
		}
		select {
		case to <- held.Bytes():
			_ = held.Close() // not held until the next one comes, which may be long
		case <-ctx.Done():
			c.PutBack(held.msgs())
			return recvError(ctx.Err())
		case <-done:
			return recvError(c.Err())
		}
	}
}

// recvHeld receives a message, however long that takes.
func (s *Socket) recvHeld(ctx context.Context, c *core.Socket, held *Multipart) error {
	for {
		err := s.recvMultipartMessage(nil, held, DontWait)
		if err != errRecvAgain {
			return err
		}
		if err := c.Await(ctx); err != nil {
			return recvError(err)
		}
	}
}

// Stop ends it, and waits for that: it takes no longer than a call into libzmq. C is
// closed then, and a message that nobody had taken is back in the socket. Further
// calls do nothing.
func (r *RecvChan) Stop() {
	if r == nil || r.done == nil { // not made by Socket.RecvChan
		return
	}
	r.cancel()
	<-r.done
}

// Err returns why C was closed, and nil before that: ErrClosed, ErrTerminated,
// ctx.Err() wrapped, which is context.Canceled after Stop, or what a receive failed
// with. It does not wait.
func (r *RecvChan) Err() error {
	if r == nil {
		return nil
	}
	select {
	case <-r.done:
		return r.err
	default:
		return nil
	}
}
