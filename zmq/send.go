package zmq

import (
	"context"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
)

// Send sends part as a message of its own or, with [SendMore], as the next part of a
// message that a later call completes. The bytes are copied.
//
// Send blocks until the message is queued, ctx is done or SendTimeout has passed. The
// error wraps ctx.Err() if ctx was done first, and is ErrAgain after SendTimeout. With
// [DontWait] it returns ErrAgain instead of blocking. If it returns an error, nothing was
// sent. Any goroutine may call Send. The comment of SendMore describes the rules for
// goroutines that send parts, and what happens if sending the last part fails.
//
// Implements: zmq_send.
func (s *Socket) Send(ctx context.Context, part []byte, flags ...Flag) error {
	c := s.core()
	if c == nil || ctx == nil {
		return s.unusable("send")
	}
	f := flagsOf(flags)
	if f&SendMore != 0 {
		if err := ctx.Err(); err != nil {
			return sendError(err)
		}
		return sendError(c.SendMore(part))
	}
	return sendError(c.Send(ctx, part, f&DontWait != 0))
}

// SendString sends part like [Socket.Send] does.
//
// Implements: zmq_send.
func (s *Socket) SendString(ctx context.Context, part string, flags ...Flag) error {
	return s.Send(ctx, stringBytes(part), flags...)
}

// SendMultipart sends one message that consists of parts. The bytes are copied. The
// message arrives whole or not at all, and no other goroutine's parts come in between.
//
// It blocks like Send does. If it returns an error, nothing was sent. SendMore is
// refused with EINVAL, as is a message without parts. While parts sent with SendMore are
// pending, the error is ErrState.
//
// Implements: zmq_send.
func (s *Socket) SendMultipart(ctx context.Context, parts [][]byte, flags ...Flag) error {
	c, f := s.core(), flagsOf(flags)
	if c == nil || ctx == nil || f&SendMore != 0 {
		return s.unusableWhole(ctx)
	}
	if len(parts) == 0 {
		return errNoParts
	}
	return sendError(c.SendParts(ctx, parts, f&DontWait != 0))
}

// beginWhole is begin for a call that sends whole messages, which SendMore cannot.
func (s *Socket) beginWhole(ctx context.Context, flags []Flag) (c *core.Socket, dontWait bool, err error) {
	c, f := s.core(), flagsOf(flags)
	if c == nil || ctx == nil || f&SendMore != 0 {
		return nil, false, s.unusableWhole(ctx)
	}
	return c, f&DontWait != 0, nil
}

// unusableWhole says why beginWhole fails.
func (s *Socket) unusableWhole(ctx context.Context) error {
	if s.core() == nil || ctx == nil {
		return s.unusable("send")
	}
	return errSendMoreWhole
}

var errNoParts = &Error{Op: "send", Errno: syscall.EINVAL, Detail: "a message needs at least one part, which may be empty"}

var errSendMoreWhole = &Error{Op: "send", Errno: syscall.EINVAL, Detail: "SendMore with a whole message; pass all parts at once, or send them one by one with Send"}

// SendMessage sends the content of m without copying it, as a message of its own or, with
// SendMore, as the next part of a message.
//
// It blocks like Send does. On success libzmq owns the content, and m is empty and ready
// for reuse. If it returns an error, m is unchanged, with one exception. If m completes a
// message whose peer has disconnected, the error is ErrHostUnreachable, the whole message
// is lost, and m is empty. Slices that Bytes returned before the call are not valid
// afterwards.
//
// Implements: zmq_msg_send.
func (s *Socket) SendMessage(ctx context.Context, m *Message, flags ...Flag) error {
	c := s.core()
	if c == nil || ctx == nil {
		return s.unusable("send")
	}
	f := flagsOf(flags)
	if err := m.usable("send"); err != nil {
		if f&SendMore == 0 {
			_ = c.LastFailed(err)
		}
		return err
	}
	if f&SendMore != 0 {
		if err := ctx.Err(); err != nil {
			return sendError(err)
		}
		return sendError(c.SendMsgMore(&m.msg[0]))
	}
	return sendError(c.SendMsg(ctx, &m.msg[0], f&DontWait != 0))
}

// SendMessageTo sends a message of two parts, routingID and m, in one call into C.
// routingID is copied. The rules of SendMessage apply to m. On a ROUTER socket this sends
// m to the peer with that routing ID.
//
// It blocks like Send does. The message is sent whole or not at all. SendMore is refused
// with EINVAL. While parts sent with SendMore are pending, the error is ErrState.
//
// Implements: zmq_msg_send.
func (s *Socket) SendMessageTo(ctx context.Context, routingID []byte, m *Message, flags ...Flag) error {
	c, f := s.core(), flagsOf(flags)
	if c == nil || ctx == nil || f&SendMore != 0 {
		return s.unusableWhole(ctx)
	}
	if err := m.usable("send"); err != nil {
		return err
	}
	return sendError(c.SendMsgWithPrefix(ctx, routingID, &m.msg[0], f&DontWait != 0))
}

// SendMultipartMessage sends one message that consists of the parts of p, without copying
// them. The message arrives whole or not at all.
//
// It blocks like Send does. On success the parts are empty. If it returns an error, the
// rules of SendMessage apply to them. SendMore is refused with EINVAL, as is a message
// without parts. While parts sent with SendMore are pending, the error is ErrState.
//
// Implements: zmq_msg_send.
func (s *Socket) SendMultipartMessage(ctx context.Context, p Multipart, flags ...Flag) error {
	c, f := s.core(), flagsOf(flags)
	if c == nil || ctx == nil || f&SendMore != 0 {
		return s.unusableWhole(ctx)
	}
	if len(p) == 0 {
		return errNoParts
	}
	return sendError(c.SendMsgs(ctx, p.msgs(), f&DontWait != 0))
}

// DiscardParts drops the parts that were sent with SendMore and whose message is not
// complete. It returns their number and does not block. It drops nothing while another
// goroutine waits in a call that sends the last part.
func (s *Socket) DiscardParts() int {
	if s.core() == nil {
		return 0
	}
	return s.core().Discard()
}
