package zmq

import (
	"context"
	"encoding/json"
	"syscall"
)

// SendJSON encodes v with encoding/json and sends the result like [Socket.Send] does. If
// v cannot be encoded, the error is an *Error with EINVAL that wraps the encoder's error,
// and nothing is sent.
//
// Implements: zmq_send.
func (s *Socket) SendJSON(ctx context.Context, v any, flags ...Flag) error {
	c, err := s.begin(ctx, "send")
	if err != nil {
		return err
	}
	text, err := json.Marshal(v)
	if err != nil {
		if flagsOf(flags)&SendMore == 0 {
			_ = c.LastFailed(err)
		}
		return &Error{Op: "send", Errno: syscall.EINVAL, Detail: err.Error(), cause: cause{err}}
	}
	return s.Send(ctx, text, flags...)
}

// RecvJSON receives one part like [Socket.Recv] does and decodes it with encoding/json
// into v, which must be a pointer. If the part cannot be decoded, the error is an *Error
// with EBADMSG that wraps the decoder's error, and the part is lost.
//
// Implements: zmq_msg_recv.
func (s *Socket) RecvJSON(ctx context.Context, v any, flags ...Flag) error {
	text, err := s.RecvBytes(ctx, flags...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return &Error{Op: "recv", Errno: syscall.EBADMSG, Detail: err.Error(), cause: cause{err}}
	}
	return nil
}
