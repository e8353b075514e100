package zmq

import "context"

// SendChan is safe for use by any number of goroutines. It takes messages from a Go
// channel and sends them on a socket. Create one with [Socket.SendChan]. End it by
// closing C or by calling Stop.
type SendChan struct {
	// C takes whole messages, which must not be changed afterwards. They are sent in the
	// order in which C took them. After Done is closed, C takes no more messages, so a
	// goroutine that sends to C must also wait for Done:
	//
	//	select {
	//	case out.C <- message:
	//	case <-out.Done():
	//		return out.Err()
	//	}
	C chan<- [][]byte

	end    channelEnd
	unsent [][]byte
}

// SendChan starts a goroutine that sends the messages it takes from the channel C of the
// result. It runs until C is closed, ctx is done, Stop is called, the socket is closed or
// a send fails. SendChan does not block. Each send waits for room like SendMultipart
// does, and fails when SendTimeout has passed.
//
// C is unbuffered: when it takes a message, the previous one has been sent. The last
// message is either sent or returned by Stop, so none is lost. Other goroutines may send
// on the socket at the same time, but not with SendMore: while parts are pending, sending
// a message from C fails with ErrState.
//
// Implements: zmq_send.
func (s *Socket) SendChan(ctx context.Context) *SendChan {
	c := make(chan [][]byte)
	w := &SendChan{C: c}
	w.end.start(ctx, "send", func(ctx context.Context) (err error) {
		w.unsent, err = s.take(ctx, c)
		return err
	}, func() {})
	return w
}

// take sends the messages that arrive on from until it fails, from is closed or ctx is
// done. unsent is the message that it took and did not send.
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
			if err := s.SendMultipart(ctx, message); err != nil {
				return message, err
			}
		case <-ctx.Done():
			return nil, sendError(ctx.Err())
		case <-done:
			return nil, sendError(c.Err())
		}
	}
}

// Done returns a channel that is closed when C takes no more messages.
func (w *SendChan) Done() <-chan struct{} {
	if w == nil || w.end.done == nil { // not created by Socket.SendChan
		return closedChan()
	}
	return w.end.done
}

// Stop ends the sending. It waits until the goroutine has ended, which takes no longer
// than a call into libzmq. It returns the message that C took and that was not sent, or
// nil. Further calls return the same result.
//
// To have all messages sent first, close C and wait for Done.
func (w *SendChan) Stop() (unsent [][]byte) {
	if w == nil {
		return nil
	}
	w.end.stop()
	return w.unsent
}

// Err returns the reason why C takes no more messages. It is nil until Done is closed,
// and stays nil if C takes no more messages because the program closed it. Otherwise it
// is ErrClosed, ErrTerminated, the error of the send whose message Stop returns, or an
// error that wraps ctx.Err(); after Stop that is context.Canceled. Err does not block.
func (w *SendChan) Err() error {
	if w == nil {
		return nil
	}
	return w.end.reason()
}
