package workload

import (
	"context"
	"errors"

	"github.com/go-zmq/go-zmq/zmq"
)

// The number of messages that the binding moves at once. A limit on the bytes of a sent
// batch made no message size faster, and sizes of 64 KiB and more slower. It was measured
// with limits of 16 KiB to 1 MiB, sizes of 512 B to 256 KiB, and ROUTER over tcp.
var (
	sendBatch = 256
	recvBatch = 256
	readAhead = 256
)

// batched implements the modes Batch and ReadAhead and the strategy BatchCopy. It sends
// messages in batches, and receives them in batches or, with ReadAhead, one by one.
type batched struct {
	*party
	outgoing, incoming *zmq.Batch
}

func newBatched(p *party) *batched {
	return &batched{party: p, outgoing: zmq.NewBatch(sendBatch), incoming: zmq.NewBatch(recvBatch)}
}

// send appends all messages, and sends each full batch and the last one.
func (b *batched) send(messages int) error {
	for i := range messages {
		b.stamp(i)
		var err error
		switch {
		case b.spec.Pattern == RouterRouter, len(b.split) > 1:
			err = b.outgoing.Append(b.parts...)
		case b.spec.Pattern == RadioDish:
			err = b.outgoing.AppendGroup(group, b.out)
		default:
			err = b.outgoing.Append(b.out)
		}
		if err == nil && (b.outgoing.Len() == sendBatch || i == messages-1) {
			_, err = b.s.SendBatch(context.Background(), b.outgoing)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *batched) receive(messages int) error {
	if b.spec.Mode == ReadAhead {
		return b.blocking(messages)
	}
	for i := 0; i < messages; {
		n, err := b.s.RecvBatch(context.Background(), b.incoming)
		if err != nil {
			return err
		}
		if err := b.lookAt(i, n, messages); err != nil {
			return err
		}
		i += n
	}
	return nil
}

// lookAt checks a batch of n messages that begins with message i.
func (b *batched) lookAt(i, n, messages int) error {
	if n > messages-i {
		return ErrIntegrity
	}
	for _, m := range b.incoming.All() {
		if err := b.look(i, m); err != nil {
			return err
		}
		i++
	}
	return nil
}

// look checks message i without copying it.
func (b *batched) look(i int, m zmq.Multipart) error {
	if b.spec.Pattern == RouterRouter {
		if len(m) < 2 || m[0].Len() != len(senderID) {
			return ErrIntegrity
		}
		m = m[1:]
	}
	if len(m) != len(b.split) {
		return ErrIntegrity
	}
	for j := 1; j < len(m); j++ {
		if m[j].Len() != len(b.split[j]) {
			return ErrIntegrity
		}
	}
	return b.check(i, m[0].Bytes())
}

func (b *batched) close() error { return errors.Join(b.outgoing.Close(), b.incoming.Close()) }

// conversing implements the mode Batch for round trips. The client receives all available
// replies at once, and sends as many requests. The server sends back the batch that it
// received.
type conversing struct{ *batched }

// send runs the client.
func (b conversing) send(messages int) error {
	sent, err := b.request(0, min(messages, b.spec.window()))
	if err != nil {
		return err
	}
	for i := 0; i < messages; {
		n, err := b.s.RecvBatch(context.Background(), b.incoming)
		if err != nil {
			return err
		}
		if err := b.lookAt(i, n, messages); err != nil {
			return err
		}
		i += n
		if sent, err = b.request(sent, min(n, messages-sent)); err != nil {
			return err
		}
	}
	return nil
}

// request sends n requests, beginning with request i, and returns the number of the next.
func (b conversing) request(i, n int) (next int, err error) {
	for end := i + n; i < end; i++ {
		b.stamp(i)
		if err := b.outgoing.Append(b.out); err != nil {
			return i, err
		}
		if b.outgoing.Len() == sendBatch || i == end-1 {
			if _, err := b.s.SendBatch(context.Background(), b.outgoing); err != nil {
				return i, err
			}
		}
	}
	return i, nil
}

// receive runs the server.
func (b conversing) receive(messages int) error {
	for i := 0; i < messages; {
		n, err := b.s.RecvBatch(context.Background(), b.incoming)
		if err == nil {
			_, err = b.s.SendBatch(context.Background(), b.incoming)
		}
		if err != nil {
			return err
		}
		i += n
	}
	return nil
}
