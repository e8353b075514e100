package zmq

import "context"

// SendChan sends what it is given through a Go channel. Any number of goroutines may
// send to C and call its methods. Make one with [Socket.SendChan]; end it by closing
// C or with Stop.
type SendChan struct {
	// C takes whole messages, which must not be changed afterwards. Several
	// goroutines may send to it; their messages are sent in the order in which C took
	// them. A goroutine that sends to it also waits for Done, since nobody takes
	// anything from it after that:
	//
	//	select {
	//	case out.C <- message:
	//	case <-out.Done():
	//		return out.Err()
	//	}
	C chan<- [][]byte

	cancel context.CancelFunc
	done   chan struct{}
	unsent [][]byte
	err    error
}

// SendChan starts a goroutine that sends on the socket what the channel C of its
// result is given, waiting for room as SendMultipart does, until C is closed, ctx
// ends, Stop is called, a send fails or the socket is closed. It does not wait.
//
// The channel has no buffer: a message that C took has been sent when C takes the
// next one. At the end it has been sent, or Stop returns it. None is lost in
// between. When SendTimeout passes, the send has failed. Other goroutines may send
// on the socket at the same time. zmq_send.
func (s *Socket) SendChan(ctx context.Context) *SendChan {
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithCancel(ctx)
	c := make(chan [][]byte)
	w := &SendChan{C: c, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		defer cancel()
		w.unsent, w.err = s.take(ctx, c)
	}()
	return w
}

// take sends what comes, until it cannot; unsent is what it took and did not send.
func (s *Socket) take(ctx context.Context, from <-chan [][]byte) (unsent [][]byte, err error) {
	c, err := s.live("send")
	if err != nil {
		return nil, err
	}
	done := c.Done()
	for {
		select {
		case message, open := <-from:
			if !open {
				return nil, nil
			}
			if err := s.sendMultipart(ctx, message, 0); err != nil {
				return message, err
			}
		case <-ctx.Done():
			return nil, sendError(ctx.Err())
		case <-done:
			return nil, sendError(c.Err())
		}
	}
}

// Done returns a channel that is closed when nothing is taken from C any more.
func (w *SendChan) Done() <-chan struct{} {
	if w == nil || w.done == nil { // not made by Socket.SendChan
		return closedChan()
	}
	return w.done
}

// Stop ends it, if it has not ended yet, and waits for that: it takes no longer than
// a call into libzmq. It returns the message that C took and that was not sent, or
// nil if all were. Further calls return the same.
//
// To have everything sent first, close C and wait for Done.
func (w *SendChan) Stop() (unsent [][]byte) {
	if w == nil || w.done == nil {
		return nil
	}
	w.cancel()
	<-w.done
	return w.unsent
}

// Err returns why nothing is taken from C any more: nil if C was closed, ErrClosed,
// ErrTerminated, ctx.Err() wrapped, which is context.Canceled after Stop, or what the
// send of the message failed with that Stop returns. It is nil before Done, and does
// not wait.
func (w *SendChan) Err() error {
	if w == nil {
		return nil
	}
	select {
	case <-w.done:
		return w.err
	default:
		return nil
	}
}
