package core

import (
	"cmp"
	"context"
	"errors"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Send sends a message of one part, or the last part of a message whose earlier parts
// were collected by SendMore. It copies the bytes.
func (s *Socket) Send(ctx context.Context, part []byte, dontWait bool) (err error) {
	if err := ctx.Err(); err != nil {
		return s.LastFailed(err)
	}
	h := s.lock.Lock()
	if h.out.idle() {
		h.sent = true
		err = h.do(ctx, Send, part, nil, nil, dontWait)
	} else {
		err = h.sendCollected(ctx, part, nil, dontWait)
	}
	s.lock.Unlock()
	return err
}

// SendMore collects a part of the message that the next Send or SendMsg completes. It
// never waits, because it sends nothing. If the last part of the previous message failed,
// SendMore begins a new message.
func (s *Socket) SendMore(part []byte) error { return s.collect(part, nil) }

// SendMsgMore is like SendMore for a native message. It takes ownership of the content.
func (s *Socket) SendMsgMore(m *libzmq.Msg) error { return s.collect(m.Bytes(), m) }

// collect adds a part to those that SendMore collected. m is nil or holds the part.
func (s *Socket) collect(part []byte, m *libzmq.Msg) error {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	switch {
	case h.state != stateOpen:
		return h.state.err()
	case h.out.finishing:
		return ErrFinishing
	}
	if err := cmp.Or(s.checkPartCount(2, true), s.typ.CheckPart(part)); err != nil {
		return err
	}
	if h.out.failed {
		h.out.reset()
	}
	if m == nil {
		h.out.appendBytes(part)
		return nil
	}
	if b, unseen := m.Lent(); unseen && b == nil { // batch memory, which may be freed
		h.out.appendBytes(part)
		m.Forget()
		return nil
	}
	watched(m)
	h.out.appendMsg(m)
	return nil
}

// SendMsg sends a message of one part, or the last part of a collected message, without
// copying. On success m is empty. On failure m is unchanged, except after ErrLost of a
// collected message.
func (s *Socket) SendMsg(ctx context.Context, m *libzmq.Msg, dontWait bool) (err error) {
	if err := ctx.Err(); err != nil {
		return s.LastFailed(err)
	}
	b := watched(m)
	h := s.lock.Lock()
	if h.out.idle() {
		h.sent = true
		err = h.do(ctx, Send, nil, m, nil, dontWait)
	} else {
		err = h.sendCollected(ctx, nil, m, dontWait)
	}
	s.lock.Unlock()
	unseal(b, m, err)
	return err
}

// unseal ends the watch on a buffer that was not sent. It does nothing if the buffer is
// already back because the message was copied or lost.
func unseal(b *libzmq.Buffer, m *libzmq.Msg, err error) {
	if b != nil && err != nil && m.Ours() {
		b.Sealed = -1
	}
}

// SendMsgWithPrefix sends a message of two parts: bytes, which it copies, and m, to which
// the rules of SendMsg apply.
func (s *Socket) SendMsgWithPrefix(ctx context.Context, first []byte, m *libzmq.Msg, dontWait bool) error {
	b := watched(m)
	lens := [2]int64{int64(len(first)), -1}
	var r request
	r.dir, r.flat, r.lens, r.msgs = Send, first, lens[:], one(m)
	r.measure()
	err := s.sendWhole(ctx, &r, dontWait)
	unseal(b, m, err)
	return err
}

// SendParts sends one message of several parts, never interleaved with another message.
// It copies the bytes.
func (s *Socket) SendParts(ctx context.Context, parts [][]byte, dontWait bool) error {
	var r request
	r.dir, r.parts = Send, parts
	r.measure()
	return s.sendWhole(ctx, &r, dontWait)
}

// SendMsgs sends one message of several native parts without copying. On success the
// parts are empty. On failure nothing was sent and they are unchanged, except after
// ErrLost, when some or all are empty.
func (s *Socket) SendMsgs(ctx context.Context, msgs []libzmq.Msg, dontWait bool) error {
	var r request
	r.dir, r.msgs = Send, msgs
	r.measure()
	return s.sendWhole(ctx, &r, dontWait)
}

// sendWhole sends one or more whole messages.
func (s *Socket) sendWhole(ctx context.Context, r *request, dontWait bool) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	h := s.lock.Lock()
	if h.out.idle() || r.patient || h.state != stateOpen {
		h.sent = true
		err = h.do(ctx, Send, nil, nil, r, dontWait)
	} else { // while the parts of another message are pending, only a proxy may send a whole one
		err = h.out.pending()
	}
	s.lock.Unlock()
	return err
}

// sendCollected sends the parts that SendMore collected and the last part after them,
// which is part or, if it is not nil, m. While it waits, no other goroutine can send. If
// it fails, the collected parts stay without the last part, so that the caller can repeat
// the failed call. Only lost parts are gone.
func (s *held) sendCollected(ctx context.Context, part []byte, m *libzmq.Msg, dontWait bool) error {
	if s.out.finishing {
		return ErrFinishing
	}
	if m == nil {
		s.out.appendBytes(part)
	} else {
		s.out.appendMsg(m)
	}
	s.sent, s.out.finishing = true, true
	r := request{dir: Send, list: s.out.list}
	r.measure()
	err := s.do(ctx, Send, nil, nil, &r, dontWait)
	s.out.finishing = false
	sent := err == nil || errors.Is(err, ErrLost)
	if !sent {
		s.out.dropLast(m)
		s.out.failed = true
	}
	if sent || s.state != stateOpen {
		s.out.reset()
	}
	return err
}

// LastFailed records that the last part of a message failed with err before sendCollected
// was called, and returns err.
func (s *Socket) LastFailed(err error) error {
	h := s.lock.Lock()
	h.out.failed = len(h.out.lens) > 0
	s.lock.Unlock()
	return err
}

// Discard drops the parts that SendMore collected and returns their number. It does not
// drop parts that a goroutine is sending.
func (s *Socket) Discard() int {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	if h.out.finishing {
		return 0
	}
	n := len(h.out.lens)
	h.out.reset()
	return n
}
