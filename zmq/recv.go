package zmq

import (
	"context"
	"syscall"
)

// Recv receives one part into buf and returns the number of bytes copied. If the part is
// longer than buf, the rest is lost: n is len(buf) and the error is a *[TruncatedError]
// that holds the length of the part.
//
// Recv blocks until a message arrives, ctx is done or RecvTimeout has passed. With
// [DontWait] it returns ErrAgain instead of blocking, and after RecvTimeout it returns
// ErrAgain as well. If ctx is done first, the error wraps ctx.Err(), and no message is
// lost. Any goroutine may call Recv. It returns a message of several parts part by part
// (see RecvMore). Goroutines that share a socket on which such messages arrive should use
// RecvMultipart or Messages.
//
// Implements: zmq_recv.
func (s *Socket) Recv(ctx context.Context, buf []byte, flags ...Flag) (n int, err error) {
	c := s.core()
	if c == nil || ctx == nil {
		return 0, s.unusable("recv")
	}
	size, err := c.Recv(ctx, buf, flagsOf(flags)&DontWait != 0)
	if err != nil {
		return 0, recvError(err)
	}
	if size > len(buf) {
		return len(buf), &TruncatedError{Size: size}
	}
	return size, nil
}

// RecvBytes receives one part into a new slice, which the caller owns. It otherwise
// behaves like Recv.
//
// Implements: zmq_msg_recv.
func (s *Socket) RecvBytes(ctx context.Context, flags ...Flag) ([]byte, error) {
	c := s.core()
	if c == nil || ctx == nil {
		return nil, s.unusable("recv")
	}
	part, err := c.RecvBytes(ctx, flagsOf(flags)&DontWait != 0)
	return part, recvError(err)
}

// RecvString receives one part as a string. It otherwise behaves like Recv.
//
// Implements: zmq_msg_recv.
func (s *Socket) RecvString(ctx context.Context, flags ...Flag) (string, error) {
	part, err := s.RecvBytes(ctx, flags...)
	return bytesString(part), err
}

// RecvMultipart receives one whole message into new slices, which the caller owns. If an
// earlier Recv returned only the first parts of a message, RecvMultipart returns the
// remaining parts. It blocks like Recv does.
//
// Implements: zmq_msg_recv.
func (s *Socket) RecvMultipart(ctx context.Context, flags ...Flag) ([][]byte, error) {
	c := s.core()
	if c == nil || ctx == nil {
		return nil, s.unusable("recv")
	}
	parts, err := c.RecvMultipart(ctx, flagsOf(flags)&DontWait != 0)
	return parts, recvError(err)
}

// RecvMessage receives one part into m without copying it. The previous content of m is
// released, even if nothing is received, except on EINVAL. It blocks like Recv does.
//
// Implements: zmq_msg_recv.
func (s *Socket) RecvMessage(ctx context.Context, m *Message, flags ...Flag) error {
	c := s.core()
	if c == nil || ctx == nil {
		return s.unusable("recv")
	}
	if err := m.usable("recv"); err != nil {
		return err
	}
	return recvError(c.RecvMsg(ctx, &m.msg[0], flagsOf(flags)&DontWait != 0))
}

// RecvMultipartMessage receives one whole message into *p without copying it. It reuses
// the memory of *p and allocates only if the message has more than cap(*p) parts. The
// previous content of *p is released, even if nothing is received, except on EINVAL. It
// blocks like Recv does.
//
// Implements: zmq_msg_recv.
func (s *Socket) RecvMultipartMessage(ctx context.Context, p *Multipart, flags ...Flag) error {
	c := s.core()
	if c == nil || ctx == nil {
		return s.unusable("recv")
	}
	if p == nil {
		return &Error{Op: "recv", Errno: syscall.EINVAL, Detail: "the Multipart is nil; declare one (var p zmq.Multipart) and pass its address"}
	}
	msgs := p.msgs()
	err := recvError(c.RecvMsgs(ctx, &msgs, flagsOf(flags)&DontWait != 0))
	*p = multipartOf(msgs)
	return err
}

// RecvMore reports whether another part follows the one that Recv, RecvBytes, RecvString
// or RecvMessage returned last. After the socket is closed, RecvMore keeps its value
// until a receive has returned ErrClosed, so that an incomplete message does not look
// complete.
//
// Implements: zmq_getsockopt(ZMQ_RCVMORE).
func (s *Socket) RecvMore() bool {
	if s.core() == nil {
		return false
	}
	return s.core().More()
}
