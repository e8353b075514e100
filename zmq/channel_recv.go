package zmq

import (
	"context"
	"sync"

	"github.com/go-zmq/go-zmq/internal/core"
)

// RecvChan is safe for use by any number of goroutines. It delivers the messages of a
// socket on a Go channel. Create one with [Socket.RecvChan]. Call Stop to end it before
// its context is done or its socket is closed.
type RecvChan struct {
	// C delivers whole messages, which the receiver owns. It is closed after the last
	// one; Err then returns the reason.
	C <-chan [][]byte

	end channelEnd // over before C is closed
}

// channelEnd is the goroutine behind a RecvChan or SendChan.
type channelEnd struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the goroutine ends
	err    error         // why it ended
	gone   sync.WaitGroup
}

// start runs f until it returns, which it must do soon after its context is done, and then
// calls last.
func (e *channelEnd) start(ctx context.Context, op string, f func(context.Context) error, last func()) {
	if ctx == nil {
		ctx, f = context.Background(), func(context.Context) error { return nilContext(op) }
	}
	ctx, e.cancel = context.WithCancel(ctx)
	e.done = make(chan struct{})
	e.gone.Go(func() {
		defer last()
		defer close(e.done)
		defer e.cancel()
		e.err = f(ctx)
	})
}

// stop ends the goroutine, if there is one, and waits until it has called last.
func (e *channelEnd) stop() {
	if e.done != nil {
		e.cancel()
		e.gone.Wait()
	}
}

// reason returns why the goroutine ended, or nil before that.
func (e *channelEnd) reason() error {
	select {
	case <-e.done:
		return e.err
	default:
		return nil
	}
}

// RecvChan starts a goroutine that receives messages and delivers them on the channel C
// of the result. It runs until ctx is done, Stop is called, the socket is closed or a
// receive fails. RecvChan does not block, and RecvTimeout does not apply.
//
// C is unbuffered: at any time the goroutine offers one message, and the others are still
// in the socket. If no receiver has taken that message when the goroutine ends, the
// message goes back to the socket, and the next receive returns it. No message is lost,
// except those that a socket holds when it is closed. Other goroutines may receive whole
// messages from the socket at the same time, and a socket may have several RecvChans.
//
// A select statement does not need a RecvChan to wait for a socket; see Ready.
//
// Implements: zmq_msg_recv.
func (s *Socket) RecvChan(ctx context.Context) *RecvChan {
	c := make(chan [][]byte)
	r := &RecvChan{C: c}
	r.end.start(ctx, "recv", func(ctx context.Context) error { return s.offer(ctx, c) }, func() { close(c) })
	return r
}

// offer receives messages and delivers them until it fails or ctx is done.
func (s *Socket) offer(ctx context.Context, to chan<- [][]byte) error {
	c, err := s.live("recv")
	if err != nil {
		return err
	}
	// The message stays in libzmq's memory until its copy was taken. It can then return to
	// the socket unchanged, and without an allocation.
	var held Multipart
	defer func() { _ = held[:cap(held)].Close() }()
	done := c.Done()
	for {
		if err := recvHeld(ctx, c, &held); err != nil {
			return err
		}
		select {
		case to <- held.Bytes():
			_ = held.Close() // the next message may take long to arrive
		case <-ctx.Done():
			c.PutBack(held.msgs())
			return recvError(ctx.Err())
		case <-done:
			c.PutBack(held.msgs()) // it is dropped and does not count
			return recvError(c.Err())
		}
	}
}

// recvHeld receives one message and waits for it without RecvTimeout.
func recvHeld(ctx context.Context, c *core.Socket, held *Multipart) error {
	for {
		msgs := held.msgs()
		err := recvError(c.Poll(ctx, &msgs))
		*held = multipartOf(msgs)
		if err != recvErrors.again {
			return err
		}
		if err := c.Await(ctx); err != nil {
			return recvError(err)
		}
	}
}

// Stop ends the delivery. It waits until the goroutine has ended, which takes no longer
// than a call into libzmq. Afterwards C is closed, and a message that no goroutine took
// from C is back in the socket. Further calls do nothing.
func (r *RecvChan) Stop() {
	if r != nil {
		r.end.stop()
	}
}

// Err returns the reason why C was closed, or nil before that. The reason is ErrClosed,
// ErrTerminated, the error of a receive, or an error that wraps ctx.Err(); after Stop
// that is context.Canceled. Err does not block.
func (r *RecvChan) Err() error {
	if r == nil {
		return nil
	}
	return r.end.reason()
}
