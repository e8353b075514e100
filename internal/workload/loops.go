package workload

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// The loops of internal/libzmq/cfloor/loops.c, in Go: they change together. Those
// of batches are in batch.go.

// tagShift is where in a stamp the sender's number is, above that of its message.
const tagShift = 48

// Every 64th message carries its own number, so that the check is not the load; those
// that follow still carry that one.
func stamped(i int) bool { return i&63 == 0 }

// stampOf returns the number that message i carries.
func stampOf(i int) uint64 { return uint64(i &^ 63) }

// The first of 64 that carry a number is looked at, and the last: if one was repeated
// the first carries the number before, if one was lost the last carries the next.
func checked(i int) bool { return (i+1)&63 <= 1 }

func (p *party) stamp(i int) {
	if stamped(i) {
		binary.NativeEndian.PutUint64(p.out, p.tag|uint64(i))
	}
}

// check looks at message i's payload, or at the first part of it.
func (p *party) check(i int, data []byte) error {
	switch {
	case len(data) != len(p.first):
		return ErrIntegrity
	case p.seen != nil:
		return p.checkAmongMany(binary.NativeEndian.Uint64(data))
	case checked(i) && binary.NativeEndian.Uint64(data) != p.tag|stampOf(i):
		return ErrIntegrity
	}
	return nil
}

// checkAmongMany is check with many senders, or when a PUSH deals its messages out to
// many receivers: is this the one that comes next from whoever sent it?
func (p *party) checkAmongMany(stamp uint64) error {
	sender := stamp >> tagShift
	if sender >= uint64(len(p.seen)) {
		return ErrIntegrity
	}
	next := p.number + p.seen[sender]*p.spec.receivers()
	p.seen[sender]++
	if stamp != sender<<tagShift|stampOf(next) {
		return ErrIntegrity
	}
	return nil
}

func (p *party) send(messages int) error {
	for i := range messages {
		p.stamp(i)
		if err := p.sendBytes(p.out); err != nil {
			return err
		}
	}
	return nil
}

// sendBytes sends a message with this payload.
func (p *party) sendBytes(data []byte) error {
	switch {
	case len(p.split) > 1: // in which case data is all of them
		return p.s.SendMultipart(context.Background(), p.parts)
	case p.spec.Pattern == RouterRouter:
		p.parts[1] = data
		return p.s.SendMultipart(context.Background(), p.parts)
	case p.spec.Pattern == RadioDish:
		return p.s.SendGroup(context.Background(), group, data)
	}
	return p.s.Send(context.Background(), data)
}

// takeID receives a ROUTER's first part.
func (p *party) takeID(flags ...zmq.Flag) error {
	if p.spec.Pattern != RouterRouter {
		return nil
	}
	n, err := p.s.Recv(context.Background(), p.id[:], flags...)
	if err == nil && n != len(senderID) {
		err = ErrIntegrity
	}
	return err
}

// take receives message i, all parts.
func (p *party) take(i int, flags ...zmq.Flag) error {
	if err := p.takeID(flags...); err != nil {
		return err
	}
	n, err := p.s.Recv(context.Background(), p.first, flags...)
	if err != nil {
		return wrongSize(err)
	}
	if len(p.split) > 1 {
		if err := p.takeRest(flags); err != nil {
			return err
		}
	}
	return p.check(i, p.first[:n])
}

// takeRest receives the parts behind the first.
func (p *party) takeRest(flags []zmq.Flag) error {
	for _, part := range p.split[1:] {
		n, err := p.s.Recv(context.Background(), part, flags...)
		if err != nil {
			return wrongSize(err)
		}
		if n != len(part) {
			return ErrIntegrity
		}
	}
	return nil
}

// wrongSize says of an error that a message was too long, if it was.
func wrongSize(err error) error {
	if errors.Is(err, zmq.ErrAgain) || !errors.As(err, new(*zmq.TruncatedError)) {
		return err
	}
	return ErrIntegrity
}

// receive has no case for Batch and Poll: these are ways of their own.
func (p *party) receive(messages int) error {
	if p.spec.Mode == Sleep {
		return p.sleep(messages)
	}
	return p.blocking(messages)
}

func (p *party) blocking(messages int) error {
	for i := range messages {
		if err := p.take(i); err != nil {
			return err
		}
	}
	return nil
}

// drain takes what is there, from message i on, and returns the number of the
// next message.
func (p *party) drain(i, messages int) (next int, err error) {
	for ; i < messages; i++ {
		err := p.take(i, zmq.DontWait)
		if errors.Is(err, zmq.ErrAgain) {
			break
		}
		if err != nil {
			return i, err
		}
	}
	return i, nil
}

func (p *party) sleep(messages int) (err error) {
	for i := 0; i < messages; {
		if i, err = p.drain(i, messages); err != nil {
			return err
		}
		if i < messages {
			time.Sleep(time.Millisecond)
		}
	}
	return nil
}

// serve is the far end of a round trip.
func (p *party) serve(messages int) error {
	for range messages {
		if err := p.reply(); err != nil {
			return err
		}
	}
	return nil
}

// reply receives a request and sends it back. A ROUTER's goes to where it came from.
func (p *party) reply() error {
	if p.spec.Pattern != DealerRouter {
		n, err := p.s.Recv(context.Background(), p.in)
		if err != nil {
			return wrongSize(err)
		}
		return p.s.Send(context.Background(), p.in[:n])
	}
	id, err := p.s.Recv(context.Background(), p.id[:])
	if err != nil {
		return err
	}
	n, err := p.s.Recv(context.Background(), p.in)
	if err != nil {
		return wrongSize(err)
	}
	p.parts[0], p.parts[1] = p.id[:id], p.in[:n]
	return p.s.SendMultipart(context.Background(), p.parts)
}

// ask is the near end, which is timed: as many requests as the window allows are under
// way.
func (p *party) ask(messages int) error {
	sent := 0
	for ; sent < min(messages, p.spec.window()); sent++ {
		if err := p.request(sent); err != nil {
			return err
		}
	}
	for i := range messages {
		n, err := p.s.Recv(context.Background(), p.in)
		if err == nil {
			err = p.check(i, p.in[:n])
		}
		if err != nil {
			return wrongSize(err)
		}
		if p.samples != nil {
			p.samples[i] = time.Since(p.b.begin) - p.samples[i]
		}
		if sent < messages {
			if err := p.request(sent); err != nil {
				return err
			}
			sent++
		}
	}
	return nil
}

// request sends request i. Its sample is the time at which it was sent until the reply
// is there.
func (p *party) request(i int) error {
	p.stamp(i)
	if p.samples != nil {
		p.samples[i] = time.Since(p.b.begin)
	}
	return p.s.Send(context.Background(), p.out)
}
