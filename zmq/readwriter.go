package zmq

import (
	"context"
	"fmt"
	"slices"
	"syscall"
)

// ReadWriter makes a socket an io.Reader and io.Writer, for packages such as io, bufio,
// encoding/gob and log/slog. Any number of goroutines may write, and one goroutine at a
// time may read. Reads and writes may run at the same time. Create one with
// [NewReadWriter]. It does not need to be closed.
type ReadWriter struct {
	ctx      context.Context
	socket   *Socket
	envelope [][]byte
	rest     [][]byte // the unread parts of the current message
}

// NewReadWriter returns a ReadWriter for s. When ctx is done, calls that send or receive a
// message return an error that wraps ctx.Err(). Each message that is written begins with
// the envelope, for example a topic on a PUB or the peer's routing ID on a ROUTER. The
// parts of the envelope are copied.
func NewReadWriter(ctx context.Context, s *Socket, envelope ...[]byte) *ReadWriter {
	rw := &ReadWriter{ctx: ctx, socket: s}
	for _, part := range envelope {
		rw.envelope = append(rw.envelope, slices.Clone(part))
	}
	return rw
}

// Write sends one message that consists of the envelope and p. The bytes are copied. It
// blocks like Send does; if it returns an error, nothing was sent. An empty p sends
// nothing.
//
// Implements: zmq_send.
func (rw *ReadWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	parts := append(make([][]byte, 0, 8), rw.envelope...)
	if err := rw.socket.SendMultipart(rw.ctx, append(parts, p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Read copies data of the current message into p, or waits for the next message like Recv
// does. If p is too short, the next Read returns the rest. One Read returns data of one
// message only.
//
// Read drops as many leading parts as the envelope has. If no part is left, Read drops
// the message and returns an *Error with EBADMSG. Read never returns io.EOF; a closed
// socket returns ErrClosed.
//
// Implements: zmq_msg_recv.
func (rw *ReadWriter) Read(p []byte) (int, error) {
	for len(p) > 0 {
		if n := rw.take(p); n > 0 {
			return n, nil
		}
		parts, err := rw.socket.RecvMultipart(rw.ctx)
		if err != nil {
			return 0, err
		}
		if len(parts) <= len(rw.envelope) {
			return 0, &Error{Op: "recv", Errno: syscall.EBADMSG, Detail: fmt.Sprintf("the message has %d parts and no data after an envelope of %d; the peer must send the same envelope", len(parts), len(rw.envelope))}
		}
		rw.rest = parts[len(rw.envelope):]
	}
	return 0, nil
}

// take copies what is left of the message into p.
func (rw *ReadWriter) take(p []byte) (n int) {
	for len(rw.rest) > 0 && n < len(p) {
		some := copy(p[n:], rw.rest[0])
		n += some
		if rw.rest[0] = rw.rest[0][some:]; len(rw.rest[0]) == 0 {
			rw.rest = rw.rest[1:]
		}
	}
	return n
}
