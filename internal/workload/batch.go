package workload

import (
	"errors"

	"github.com/go-zmq/go-zmq/zmq"
)

// How many messages the binding moves at once. A limit on the bytes of a batch that
// is sent (16 KiB to 1 MiB, at 512 B to 256 KiB, ROUTER over tcp) made nothing
// faster, and 64 KiB and more slower.
var (
	sendBatch = 256
	recvBatch = 256
	readAhead = 256
)

// batched is the way of the modes Batch and ReadAhead and of the strategy
// BatchCopy: messages leave in batches, and arrive in batches or, read ahead, one
// by one.
type batched struct {
	*binding
	outgoing, incoming *zmq.Batch
}

func newBatched(b *binding) *batched {
	return &batched{binding: b, outgoing: zmq.NewBatch(sendBatch), incoming: zmq.NewBatch(recvBatch)}
}

// send appends while messages remain, and sends full batches and the last one.
func (b *batched) send(messages int) error {
	for i := range messages {
		b.stamp(i)
		var err error
		if b.spec.Pattern == RouterRouter {
			err = b.outgoing.Append(b.parts...)
		} else {
			err = b.outgoing.Append(b.out)
		}
		if err == nil && (b.outgoing.Len() == sendBatch || i == messages-1) {
			_, err = b.sender.SendBatch(b.outgoing)
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
		n, err := b.receiver.RecvBatch(b.incoming)
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

// lookAt checks a batch of n messages, the first of which is message i.
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

// look checks message i where it lies.
func (b *batched) look(i int, m zmq.Multipart) error {
	if b.spec.Pattern == RouterRouter {
		if len(m) != 2 || m[0].Len() != len(senderID) {
			return ErrIntegrity
		}
		m = m[1:]
	}
	if len(m) != 1 {
		return ErrIntegrity
	}
	return b.check(i, m[0].Bytes())
}

func (b *batched) close() error { return errors.Join(b.outgoing.Close(), b.incoming.Close()) }
