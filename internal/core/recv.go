package core

import (
	"context"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/inbox"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Recv copies the next part into buf and returns the size of the part. If the size is
// larger than buf, the part was truncated.
func (s *Socket) Recv(ctx context.Context, buf []byte, dontWait bool) (n int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	h := s.lock.Lock()
	m, err := h.nextPart(ctx, dontWait)
	if err == nil {
		n = m.Len()
		copy(buf, m.Bytes())
		donePart(m)
	}
	s.lock.Unlock()
	return n, err
}

// RecvBytes returns the next part in a new slice.
func (s *Socket) RecvBytes(ctx context.Context, dontWait bool) (part []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h := s.lock.Lock()
	m, err := h.nextPart(ctx, dontWait)
	if err == nil {
		part = append(make([]byte, 0, m.Len()), m.Bytes()...)
		donePart(m)
	}
	s.lock.Unlock()
	return part, err
}

// nextPart returns the next part, which stays in the socket until the next receive. It
// releases the lock while the goroutine waits.
func (s *held) nextPart(ctx context.Context, dontWait bool) (*libzmq.Msg, error) {
	if s.in.Held() > 0 && s.state == stateOpen && s.lists[Recv].Len() == 0 {
		m := s.in.Next()
		s.stats.Received.part(m)
		return m, nil
	}
	m := s.in.Slot()
	return m, s.do(ctx, Recv, nil, m, nil, dontWait)
}

// donePart releases a part of nextPart now if it is large.
func donePart(m *libzmq.Msg) {
	if m.Len() > inbox.MaxHeld {
		m.Close()
	}
}

// handOver wakes the next receiver, if there is one, after parts were received without a
// call to libzmq. This is R2 for messages that were read ahead. notify may use the queue,
// so parts must be copied or handed out before.
func (s *held) handOver() {
	switch {
	case s.lists[Recv].Len() == 0:
	case s.in.Ready():
		s.lists[Recv].WakeFirst()
	case s.in.Held() == 0:
		s.notify(s.events())
	}
}

// run makes an operation that needs nothing else of the socket, see do.
func (s *Socket) run(ctx context.Context, dir Direction, m *libzmq.Msg, r *request, dontWait bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	h := s.lock.Lock()
	err := h.do(ctx, dir, nil, m, r, dontWait)
	s.lock.Unlock()
	return err
}

// RecvMsg receives the next part into m without copying. It releases the previous content
// of m, even if it fails.
func (s *Socket) RecvMsg(ctx context.Context, m *libzmq.Msg, dontWait bool) error {
	err := s.run(ctx, Recv, m, nil, dontWait)
	if err != nil {
		m.Close() // not every error comes from libzmq
	}
	return err
}

// RecvMsgs receives a whole message into *dst and reuses its memory. It releases the
// previous contents of *dst, even if it fails. If a message is being received part by
// part, RecvMsgs receives its remaining parts.
func (s *Socket) RecvMsgs(ctx context.Context, dst *[]libzmq.Msg, dontWait bool) error {
	err := s.recvMsgs(ctx, dst, dontWait, true)
	if err != nil {
		ReleaseAll(dst)
	}
	return err
}

// recvMsgs is RecvMsgs without the release. Unless counts is set, an EAGAIN is not counted.
func (s *Socket) recvMsgs(ctx context.Context, dst *[]libzmq.Msg, dontWait, counts bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if cap(*dst) == 0 {
		*dst = make([]libzmq.Msg, 4)
	}
	msgs := (*dst)[:cap(*dst)]
	h := s.lock.Lock()
	if err := h.do(ctx, Recv, nil, &msgs[0], nil, dontWait); err != nil {
		if err == syscall.EAGAIN && !counts {
			h.stats.Blocked[Recv]--
		}
		s.lock.Unlock()
		return err
	}
	n := 1
	if rest := h.in.TakeRest(); len(rest) > 0 {
		n += len(rest)
		if len(msgs) < n {
			more := make([]libzmq.Msg, n)
			libzmq.MoveMsgs(more, msgs)
			msgs = more
		}
		h.stats.Received.all(rest)
		for i := range rest {
			inbox.HandOut(&msgs[1+i], &rest[i])
		}
		h.handOver() // when the first part was taken, no whole message was ready
	}
	s.lock.Unlock()
	libzmq.CloseMsgs(msgs[n:])
	*dst = msgs[:n]
	return nil
}

// ReleaseAll releases the contents of *msgs, up to its capacity, and empties it.
func ReleaseAll(msgs *[]libzmq.Msg) {
	libzmq.CloseMsgs((*msgs)[:cap(*msgs)])
	*msgs = (*msgs)[:0]
}

// RecvMultipart receives a whole message into new slices. One slice holds the parts. If
// the message is small, a second one holds all its bytes.
func (s *Socket) RecvMultipart(ctx context.Context, dontWait bool) ([][]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h := s.lock.Lock()
	defer s.lock.Unlock()
	first, err := h.nextPart(ctx, dontWait)
	if err != nil {
		return nil, err
	}
	total := first.Len()
	rest := h.in.TakeRest()
	for i := range rest {
		total += rest[i].Len()
	}
	parts := make([][]byte, 0, 1+len(rest))
	var shared []byte
	if total <= maxShared {
		shared = make([]byte, 0, total)
	}
	parts = append(parts, copyPart(&shared, first))
	for i := range rest {
		parts = append(parts, copyPart(&shared, &rest[i]))
	}
	h.stats.Received.all(rest)
	if total > inbox.MaxHeld {
		libzmq.CloseMsgs(rest)
	}
	if len(rest) > 0 {
		h.handOver() // when the first part was taken, no whole message was ready
	}
	donePart(first)
	return parts, nil
}

// maxShared is the size up to which the parts of a message share one allocation. Above
// it, keeping one part must not keep all of them.
const maxShared = 8 << 10

func copyPart(shared *[]byte, m *libzmq.Msg) []byte {
	if cap(*shared) == 0 {
		return append(make([]byte, 0, m.Len()), m.Bytes()...)
	}
	at := len(*shared)
	*shared = append(*shared, m.Bytes()...)
	return (*shared)[at:len(*shared):len(*shared)]
}

// More reports whether the part received last is followed by another part of its message.
func (s *Socket) More() bool {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	return h.in.More()
}
