package zmq

import (
	"context"
	"syscall"
)

// Send sends a part, as a message of its own or, with [SendMore], as the
// beginning of one. It waits while the socket has no room for the message, at
// most SendTimeout, unless DontWait is given. The bytes are copied. Any goroutine
// may call it; parts sent with SendMore are collected per socket, so one
// goroutine at a time may use that. When the last part of a message fails with
// ErrAgain or because ctx ended, the parts before it are kept: repeat the call,
// or give them up with DiscardParts. zmq_send.
func (s *Socket) Send(part []byte, flags ...Flag) error {
	return s.send(nil, part, flagsOf(flags))
}

// SendContext is Send, and ends when ctx does: then nothing was sent, and the
// error wraps ctx.Err(). zmq_send.
func (s *Socket) SendContext(ctx context.Context, part []byte, flags ...Flag) error {
	return s.send(ctx, part, flagsOf(flags))
}

func (s *Socket) send(ctx context.Context, part []byte, f Flag) error {
	c, err := s.live("send")
	if err != nil {
		return err
	}
	if f&SendMore != 0 {
		return sendError(c.SendMore(part))
	}
	return sendError(c.Send(ctx, part, f&DontWait != 0))
}

// SendString is Send for a string. zmq_send.
func (s *Socket) SendString(part string, flags ...Flag) error {
	return s.send(nil, stringBytes(part), flagsOf(flags))
}

// SendStringContext is SendContext for a string. zmq_send.
func (s *Socket) SendStringContext(ctx context.Context, part string, flags ...Flag) error {
	return s.send(ctx, stringBytes(part), flagsOf(flags))
}

// SendMultipart sends one message of one or more parts, which arrives whole or
// not at all and is never mixed with another goroutine's. It waits as Send does.
// The bytes are copied. With DontWait and no room, nothing was sent. SendMore is
// refused: the message is complete. zmq_send.
func (s *Socket) SendMultipart(parts [][]byte, flags ...Flag) error {
	return s.sendMultipart(nil, parts, flagsOf(flags))
}

// SendMultipartContext is SendMultipart, and ends when ctx does: then nothing was
// sent, and the error wraps ctx.Err(). zmq_send.
func (s *Socket) SendMultipartContext(ctx context.Context, parts [][]byte, flags ...Flag) error {
	return s.sendMultipart(ctx, parts, flagsOf(flags))
}

func (s *Socket) sendMultipart(ctx context.Context, parts [][]byte, f Flag) error {
	c, err := s.live("send")
	if err != nil {
		return err
	}
	if err := checkWhole(len(parts), f); err != nil {
		return err
	}
	return sendError(c.SendParts(ctx, parts, f&DontWait != 0))
}

func checkWhole(parts int, f Flag) error {
	if parts == 0 {
		return &Error{Op: "send", Errno: syscall.EINVAL, Detail: "a message has at least one part; send an empty part to send nothing"}
	}
	if f&SendMore != 0 {
		return errSendMoreWhole
	}
	return nil
}

var errSendMoreWhole = &Error{Op: "send", Errno: syscall.EINVAL, Detail: "SendMore with a whole message; pass all parts at once, or send them one by one with Send"}

// SendMessage sends a part without copying its content, as a message of its own
// or, with SendMore, as the beginning of one. On success libzmq owns the content
// and m is empty, ready for reuse. On failure m is as it was, unless it was the last
// part after others with SendMore and the peer left in the middle of the message: with
// that ErrHostUnreachable all of its parts are gone, and m is empty. It waits as Send
// does. Slices that Bytes returned before are not valid afterwards, even if it
// fails. zmq_msg_send.
func (s *Socket) SendMessage(m *Message, flags ...Flag) error {
	return s.sendMessage(nil, m, flagsOf(flags))
}

// SendMessageContext is SendMessage, and ends when ctx does: then nothing was
// sent, and the error wraps ctx.Err(). zmq_msg_send.
func (s *Socket) SendMessageContext(ctx context.Context, m *Message, flags ...Flag) error {
	return s.sendMessage(ctx, m, flagsOf(flags))
}

func (s *Socket) sendMessage(ctx context.Context, m *Message, f Flag) error {
	c, err := s.live("send")
	if err != nil {
		return err
	}
	if err := m.usable("send"); err != nil {
		return err
	}
	if f&SendMore != 0 {
		return sendError(c.SendMsgMore(&m.msg))
	}
	return sendError(c.SendMsg(ctx, &m.msg, f&DontWait != 0))
}

// SendMessageTo sends a message of two parts: routingID, which is copied, and m, for
// which the rules of SendMessage hold. On a ROUTER socket this sends m to that
// peer. It is one crossing, whole or not at all. SendMore is refused. zmq_msg_send.
func (s *Socket) SendMessageTo(routingID []byte, m *Message, flags ...Flag) error {
	return s.sendMessageTo(nil, routingID, m, flagsOf(flags))
}

// SendMessageToContext is SendMessageTo, and ends when ctx does: then nothing was
// sent, and the error wraps ctx.Err(). zmq_msg_send.
func (s *Socket) SendMessageToContext(ctx context.Context, routingID []byte, m *Message, flags ...Flag) error {
	return s.sendMessageTo(ctx, routingID, m, flagsOf(flags))
}

func (s *Socket) sendMessageTo(ctx context.Context, id []byte, m *Message, f Flag) error {
	c, err := s.live("send")
	if err != nil {
		return err
	}
	if err := m.usable("send"); err != nil {
		return err
	}
	if f&SendMore != 0 {
		return errSendMoreWhole
	}
	return sendError(c.SendMsgBehind(ctx, id, &m.msg, f&DontWait != 0))
}

// SendMultipartMessage sends one message whose parts are those of p, without
// copying, whole or not at all. On success the parts are empty. It waits as Send
// does. zmq_msg_send.
func (s *Socket) SendMultipartMessage(p Multipart, flags ...Flag) error {
	return s.sendMultipartMessage(nil, p, flagsOf(flags))
}

// SendMultipartMessageContext is SendMultipartMessage, and ends when ctx does:
// then nothing was sent, and the error wraps ctx.Err(). zmq_msg_send.
func (s *Socket) SendMultipartMessageContext(ctx context.Context, p Multipart, flags ...Flag) error {
	return s.sendMultipartMessage(ctx, p, flagsOf(flags))
}

func (s *Socket) sendMultipartMessage(ctx context.Context, p Multipart, f Flag) error {
	c, err := s.live("send")
	if err != nil {
		return err
	}
	if err := checkWhole(len(p), f); err != nil {
		return err
	}
	return sendError(c.SendMsgs(ctx, p.msgs(), f&DontWait != 0))
}

// DiscardParts drops the parts that were sent with SendMore and whose message was
// not completed, and returns their number.
func (s *Socket) DiscardParts() int {
	if s == nil || s.core == nil {
		return 0
	}
	return s.core.Discard()
}
