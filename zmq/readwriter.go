package zmq

import (
	"context"
	"fmt"
	"slices"
	"syscall"
)

// ReadWriter makes an io.Reader and io.Writer of a socket, for packages that read
// and write bytes: io, bufio, encoding/gob, log/slog. Any number of goroutines may
// write; reading is for one at a time, which may be another. Make one with
// NewReadWriter. It holds nothing that must be closed.
type ReadWriter struct {
	ctx      context.Context
	socket   *Socket
	envelope [][]byte
	rest     [][]byte // of the message that is being read
}

// NewReadWriter returns a ReadWriter of a socket. Each of its calls ends when ctx
// does. The parts of the envelope come before the data of each message that is
// written: a topic on a PUB, the peer's routing id on a ROUTER. They are copied.
func NewReadWriter(ctx context.Context, s *Socket, envelope ...[]byte) *ReadWriter {
	rw := &ReadWriter{ctx: ctx, socket: s}
	for _, part := range envelope {
		rw.envelope = append(rw.envelope, slices.Clone(part))
	}
	return rw
}

// Write sends p as one message, behind the envelope, and waits for room as Send
// does. On an error nothing was sent. An empty p sends nothing.
//
// libzmq: zmq_send.
func (rw *ReadWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	parts := append(make([][]byte, 0, 8), rw.envelope...)
	if err := rw.socket.SendMultipartContext(rw.ctx, append(parts, p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Read fills p from the message at hand, of which nothing is lost when p is too
// short, or waits for the next as Recv does. It does not read beyond a message. As
// many parts as the envelope has are left out of each; a message with fewer parts
// is an *Error with EBADMSG. There is no io.EOF: a socket that is closed is
// ErrClosed.
//
// libzmq: zmq_msg_recv.
func (rw *ReadWriter) Read(p []byte) (int, error) {
	for len(p) > 0 {
		if n := rw.take(p); n > 0 {
			return n, nil
		}
		parts, err := rw.socket.RecvMultipartContext(rw.ctx)
		if err != nil {
			return 0, err
		}
		if len(parts) <= len(rw.envelope) {
			return 0, &Error{Op: "recv", Errno: syscall.EBADMSG, Detail: fmt.Sprintf("a message of %d parts has nothing behind an envelope of %d", len(parts), len(rw.envelope))}
		}
		rw.rest = parts[len(rw.envelope):]
	}
	return 0, nil
}

// take fills p from what is left of the message.
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
