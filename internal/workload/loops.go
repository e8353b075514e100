package workload

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// The loops of internal/libzmq/cfloor/loops.c, in Go: they change together. Those
// of batches are in batch.go.

// Every 64th message carries its number, so that the check is not the load.
func checked(i int) bool { return i&63 == 0 }

func (b *binding) stamp(i int) {
	if checked(i) {
		binary.NativeEndian.PutUint64(b.out, uint64(i))
	}
}

// check looks at message i's payload.
func (b *binding) check(i int, p []byte) error {
	if len(p) != b.spec.Size || checked(i) && binary.NativeEndian.Uint64(p) != uint64(i) {
		return ErrIntegrity
	}
	return nil
}

func (b *binding) send(messages int) error {
	for i := range messages {
		b.stamp(i)
		if err := b.sendBytes(b.out); err != nil {
			return err
		}
	}
	return nil
}

// sendBytes sends a message with this payload.
func (b *binding) sendBytes(p []byte) error {
	if b.spec.Pattern == RouterRouter {
		b.parts[1] = p
		return b.sender.SendMultipart(b.parts)
	}
	return b.sender.Send(p)
}

// takeID receives a ROUTER's first part.
func (b *binding) takeID(flags ...zmq.Flag) error {
	if b.spec.Pattern != RouterRouter {
		return nil
	}
	n, err := b.receiver.Recv(b.id[:], flags...)
	if err == nil && n != len(senderID) {
		err = ErrIntegrity
	}
	return err
}

// take receives message i, all parts.
func (b *binding) take(i int, flags ...zmq.Flag) error {
	if err := b.takeID(flags...); err != nil {
		return err
	}
	n, err := b.receiver.Recv(b.in, flags...)
	if err != nil {
		return err
	}
	return b.check(i, b.in[:n])
}

// receive has no case for Batch and Poll: these are ways of their own.
func (b *binding) receive(messages int) error {
	if b.spec.Mode == Sleep {
		return b.sleep(messages)
	}
	return b.blocking(messages)
}

func (b *binding) blocking(messages int) error {
	for i := range messages {
		if err := b.take(i); err != nil {
			return err
		}
	}
	return nil
}

// drain takes what is there, from message i on, and returns the number of the
// next message.
func (b *binding) drain(i, messages int) (next int, err error) {
	for ; i < messages; i++ {
		err := b.take(i, zmq.DontWait)
		if errors.Is(err, zmq.ErrAgain) {
			break
		}
		if err != nil {
			return i, err
		}
	}
	return i, nil
}

func (b *binding) sleep(messages int) (err error) {
	for i := 0; i < messages; {
		if i, err = b.drain(i, messages); err != nil {
			return err
		}
		if i < messages {
			time.Sleep(time.Millisecond)
		}
	}
	return nil
}

// echo is the far end of a round trip.
func (b *binding) echo(messages int) error {
	for range messages {
		n, err := b.receiver.Recv(b.back)
		if err == nil {
			err = b.receiver.Send(b.back[:n])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ask is the near end, which has the clock.
func (b *binding) ask(messages int) error {
	for i := range messages {
		b.stamp(i)
		if err := b.sender.Send(b.out); err != nil {
			return err
		}
		n, err := b.sender.Recv(b.in)
		if err == nil {
			err = b.check(i, b.in[:n])
		}
		if err != nil {
			return err
		}
	}
	return nil
}
