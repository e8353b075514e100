package zmq

import (
	"context"
	"encoding/json"
	"syscall"
)

// SendJSON sends v, encoded by encoding/json, as Send sends a part. What cannot be
// encoded is an *Error with EINVAL that wraps the encoder's, and nothing was sent.
// Any goroutine may call it.
//
// libzmq: zmq_send.
func (s *Socket) SendJSON(v any, flags ...Flag) error { return s.sendJSON(nil, v, flagsOf(flags)) }

// SendJSONContext is SendJSON, and ends when ctx does: then nothing was sent, and
// the error wraps ctx.Err(). zmq_send.
func (s *Socket) SendJSONContext(ctx context.Context, v any, flags ...Flag) error {
	return s.sendJSON(ctx, v, flagsOf(flags))
}

func (s *Socket) sendJSON(ctx context.Context, v any, f Flag) error {
	text, err := json.Marshal(v)
	if err != nil {
		return &Error{Op: "send", Errno: syscall.EINVAL, Detail: err.Error(), cause: err}
	}
	return s.send(ctx, text, f)
}

// RecvJSON receives a part as Recv does and decodes it into v, a pointer, with
// encoding/json. What cannot be decoded is an *Error with EBADMSG that wraps the
// decoder's; the part is gone then. Any goroutine may call it.
//
// libzmq: zmq_msg_recv.
func (s *Socket) RecvJSON(v any, flags ...Flag) error { return s.recvJSON(nil, v, flagsOf(flags)) }

// RecvJSONContext is RecvJSON, and ends when ctx does, as RecvContext. zmq_msg_recv.
func (s *Socket) RecvJSONContext(ctx context.Context, v any, flags ...Flag) error {
	return s.recvJSON(ctx, v, flagsOf(flags))
}

func (s *Socket) recvJSON(ctx context.Context, v any, f Flag) error {
	text, err := s.recvBytes(ctx, f)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return &Error{Op: "recv", Errno: syscall.EBADMSG, Detail: err.Error(), cause: err}
	}
	return nil
}
