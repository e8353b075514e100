package zmq

import (
	"context"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
)

// Recv receives one part into buf and returns how many bytes were put there. It
// waits for a message, at most RecvTimeout, unless DontWait is given. A part that
// is longer than buf is cut off: n is len(buf) and the error a *[TruncatedError]
// that says how long it was.
//
// Any goroutine may call it. The parts of a message of several are handed out one
// by one (see RecvMore); goroutines that share a socket on which such messages
// arrive use RecvMultipart or Messages. zmq_msg_recv.
func (s *Socket) Recv(buf []byte, flags ...Flag) (n int, err error) {
	return s.recv(nil, buf, flagsOf(flags))
}

// RecvContext is Recv, and ends when ctx does: then nothing was received, nothing
// is lost, and the error wraps ctx.Err(). zmq_msg_recv.
func (s *Socket) RecvContext(ctx context.Context, buf []byte, flags ...Flag) (n int, err error) {
	return s.recv(ctx, buf, flagsOf(flags))
}

func (s *Socket) recv(ctx context.Context, buf []byte, f Flag) (int, error) {
	c, err := s.live("recv")
	if err != nil {
		return 0, err
	}
	size, err := c.Recv(ctx, buf, f&DontWait != 0)
	if err != nil {
		return 0, recvError(err)
	}
	if size > len(buf) {
		return len(buf), &TruncatedError{Size: size}
	}
	return size, nil
}

// RecvBytes receives one part into a new slice, which the caller owns. Otherwise
// it is as Recv. zmq_msg_recv.
func (s *Socket) RecvBytes(flags ...Flag) ([]byte, error) {
	return s.recvBytes(nil, flagsOf(flags))
}

// RecvBytesContext is RecvBytes, and ends when ctx does, as RecvContext. zmq_msg_recv.
func (s *Socket) RecvBytesContext(ctx context.Context, flags ...Flag) ([]byte, error) {
	return s.recvBytes(ctx, flagsOf(flags))
}

func (s *Socket) recvBytes(ctx context.Context, f Flag) ([]byte, error) {
	c, err := s.live("recv")
	if err != nil {
		return nil, err
	}
	part, err := c.RecvBytes(ctx, f&DontWait != 0)
	return part, recvError(err)
}

// RecvString receives one part as a string. Otherwise it is as Recv. zmq_msg_recv.
func (s *Socket) RecvString(flags ...Flag) (string, error) {
	return s.recvString(nil, flagsOf(flags))
}

// RecvStringContext is RecvString, and ends when ctx does, as RecvContext. zmq_msg_recv.
func (s *Socket) RecvStringContext(ctx context.Context, flags ...Flag) (string, error) {
	return s.recvString(ctx, flagsOf(flags))
}

func (s *Socket) recvString(ctx context.Context, f Flag) (string, error) {
	c, err := s.live("recv")
	if err != nil {
		return "", err
	}
	part, err := c.RecvString(ctx, f&DontWait != 0)
	return part, recvError(err)
}

// RecvMultipart receives one whole message into new slices, which the caller
// owns. It waits as Recv does. After a Recv that left parts of a message, it
// returns those. zmq_msg_recv.
func (s *Socket) RecvMultipart(flags ...Flag) ([][]byte, error) {
	return s.recvMultipart(nil, flagsOf(flags))
}

// RecvMultipartContext is RecvMultipart, and ends when ctx does, as RecvContext.
// zmq_msg_recv.
func (s *Socket) RecvMultipartContext(ctx context.Context, flags ...Flag) ([][]byte, error) {
	return s.recvMultipart(ctx, flagsOf(flags))
}

func (s *Socket) recvMultipart(ctx context.Context, f Flag) ([][]byte, error) {
	c, err := s.live("recv")
	if err != nil {
		return nil, err
	}
	parts, err := c.RecvMultipart(ctx, f&DontWait != 0)
	return parts, recvError(err)
}

// RecvMessage receives one part into m without copying it. What m held before is
// released, also when the call fails. It waits as Recv does. zmq_msg_recv.
func (s *Socket) RecvMessage(m *Message, flags ...Flag) error {
	return s.recvMessage(nil, m, flagsOf(flags))
}

// RecvMessageContext is RecvMessage, and ends when ctx does, as RecvContext.
// zmq_msg_recv.
func (s *Socket) RecvMessageContext(ctx context.Context, m *Message, flags ...Flag) error {
	return s.recvMessage(ctx, m, flagsOf(flags))
}

func (s *Socket) recvMessage(ctx context.Context, m *Message, f Flag) error {
	c, err := s.live("recv")
	unusable := m.usable("recv")
	switch {
	case err != nil && unusable == nil:
		m.msg.Close()
		return err
	case err != nil:
		return err
	case unusable != nil:
		return unusable
	}
	return recvError(c.RecvMsg(ctx, &m.msg, f&DontWait != 0))
}

// RecvMultipartMessage receives one whole message into *p without copying it. It
// reuses the memory of *p, whatever its length, releases what that held, also when
// the call fails, and grows it when the message has more parts than cap(*p). It waits
// as Recv does.
// zmq_msg_recv.
func (s *Socket) RecvMultipartMessage(p *Multipart, flags ...Flag) error {
	return s.recvMultipartMessage(nil, p, flagsOf(flags))
}

// RecvMultipartMessageContext is RecvMultipartMessage, and ends when ctx does, as
// RecvContext. zmq_msg_recv.
func (s *Socket) RecvMultipartMessageContext(ctx context.Context, p *Multipart, flags ...Flag) error {
	return s.recvMultipartMessage(ctx, p, flagsOf(flags))
}

func (s *Socket) recvMultipartMessage(ctx context.Context, p *Multipart, f Flag) error {
	c, err := s.live("recv")
	if err == nil && p == nil {
		return &Error{Op: "recv", Errno: syscall.EINVAL, Detail: "the Multipart is nil; declare one (var p zmq.Multipart) and pass its address"}
	}
	if p == nil {
		return err
	}
	msgs := p.msgs()
	if err != nil {
		core.ReleaseAll(&msgs)
	} else {
		err = recvError(c.RecvMsgs(ctx, &msgs, f&DontWait != 0))
	}
	*p = multipartOf(msgs)
	return err
}

// RecvMore reports whether the part that was received last, by Recv, RecvBytes,
// RecvString or RecvMessage, has a successor in the same message. When the socket was
// closed meanwhile it still does, until a receive has said so with its error: a message
// that is cut off does not look complete. ZMQ_RCVMORE.
func (s *Socket) RecvMore() bool {
	if s == nil || s.core == nil {
		return false
	}
	return s.core.More()
}
