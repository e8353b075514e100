package core

import (
	"context"
	"runtime"
)

// SendBatch sends the messages of a batch in order and returns the number sent. Unsent
// messages stay in the batch. An error that concerns one message is about the first of
// those.
func (s *Socket) SendBatch(ctx context.Context, b *Batch, dontWait bool) (sent int, err error) {
	if err := b.enter(); err != nil {
		return 0, err
	}
	defer b.leave()
	if b.count == 0 {
		return 0, s.Err()
	}
	before := b.sent.Messages
	var r request
	r.dir, r.batch, r.patient = Send, b, b.forwards
	err = s.sendWhole(ctx, &r, dontWait)
	for err == nil && b.count > 0 {
		err = s.sendRest(ctx, &r, dontWait)
	}
	if err == nil {
		err = b.refused
	}
	b.count, b.hidden, b.refused = b.count+b.hidden, 0, nil
	if b.count == 0 {
		b.empty()
	}
	return int(b.sent.Messages - before), err
}

// sendRest sends the next portion of a batch. Between two portions, other goroutines use the
// socket.
func (s *Socket) sendRest(ctx context.Context, r *request, dontWait bool) error {
	runtime.Gosched()
	if err := ctx.Err(); err != nil {
		return err
	}
	h := s.lock.Lock()
	defer s.lock.Unlock()
	if h.state != stateOpen {
		return h.state.err()
	}
	if h.udp { // it may have been connected to udp meanwhile
		if err := h.check(r); err != nil {
			return err
		}
	}
	return h.conclude(ctx, r, h.try(r), dontWait)
}

// SentOf returns what the socket has sent of a batch since it was created. It includes each
// message that a peer has received.
func (s *Socket) SentOf(b *Batch) Traffic {
	s.lock.Lock()
	defer s.lock.Unlock()
	return b.sent
}

// RecvBatch waits for a message and receives all available messages, up to the limit of
// the batch. They replace the previous contents of the batch. It returns their number.
func (s *Socket) RecvBatch(ctx context.Context, b *Batch, dontWait bool) (int, error) {
	if err := b.enter(); err != nil {
		return 0, err
	}
	defer b.leave()
	if b.slotted && b.end()-b.head() > recvPortion {
		b.drop() // now, because releasing so many takes long
	}
	var r request
	r.dir, r.batch, r.patient = Recv, b, b.forwards
	if err := s.run(ctx, Recv, nil, &r, dontWait); err != nil {
		b.drop()
		return 0, err
	}
	return b.count, nil
}
