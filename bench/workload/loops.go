package workload

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// These loops correspond to those in bench/cfloor/loops.c. Change both
// together. The loops for batches are in batch.go.

// tagShift is the bit position of the sender's number in a stamp. The lower bits hold the
// number of the message.
const tagShift = 48

// stamped reports whether message i gets its own number. Only every 64th does, so that
// the check adds little load. The messages that follow keep the same number.
func stamped(i int) bool { return i&63 == 0 }

// stampOf returns the number that message i carries.
func stampOf(i int) uint64 { return uint64(i &^ 63) }

// checked reports whether message i is checked: the first and the last of 64 messages
// with the same number. If a message was repeated, the first carries the previous number.
// If one was lost, the last carries the next number.
func checked(i int) bool { return (i+1)&63 <= 1 }

func (p *party) stamp(i int) {
	if stamped(i) {
		binary.NativeEndian.PutUint64(p.out, p.tag|uint64(i))
	}
}

// check checks the payload of message i, or its first part.
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

// checkAmongMany is like check for many senders, or for a PUSH that distributes its
// messages among many receivers. It checks that the message is the next one from its
// sender.
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
	case len(p.split) > 1: // data is all parts
		return p.s.SendMultipart(context.Background(), p.parts)
	case p.spec.Pattern == RouterRouter:
		p.parts[1] = data
		return p.s.SendMultipart(context.Background(), p.parts)
	case p.spec.Pattern == RadioDish:
		return p.s.SendGroup(context.Background(), group, data)
	}
	return p.s.Send(context.Background(), data)
}

// takeID receives the routing id, which is the first part on a ROUTER.
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

// take receives all parts of message i.
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

// takeRest receives the parts after the first.
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

// wrongSize returns ErrIntegrity if err reports that a message was too long, and
// otherwise err.
func wrongSize(err error) error {
	if errors.Is(err, zmq.ErrAgain) || !errors.As(err, new(*zmq.TruncatedError)) {
		return err
	}
	return ErrIntegrity
}

// receive receives without a way. Batch and Poll do not use it, because each has its own
// way.
func (p *party) receive(messages int) error {
	switch p.spec.Mode {
	case Drain:
		return p.draining(messages)
	case PollDrain:
		return p.polling(p, messages)
	case Sleep:
		return p.sleep(messages, time.Millisecond)
	case Sleep10:
		return p.sleep(messages, 10*time.Millisecond)
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

// drain receives the available messages, beginning with message i, and returns the number
// of the next message.
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

func (p *party) draining(messages int) (err error) {
	for i := 0; i < messages; {
		if err = p.take(i); err != nil {
			return err
		}
		if i, err = p.drain(i+1, messages); err != nil {
			return err
		}
	}
	return nil
}

func (p *party) sleep(messages int, pause time.Duration) (err error) {
	for i := 0; i < messages; {
		if i, err = p.drain(i, messages); err != nil {
			return err
		}
		if i < messages {
			time.Sleep(pause)
		}
	}
	return nil
}

// serve is the server side of a round trip.
func (p *party) serve(messages int) error {
	for range messages {
		if err := p.reply(); err != nil {
			return err
		}
	}
	return nil
}

// reply receives a request and sends it back. A ROUTER sends it to the peer that it came
// from.
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

// ask is the client side of a round trip, which is timed. It keeps as many requests
// outstanding as the window allows.
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

// request sends request i. Until the reply arrives, the sample holds the time of sending.
func (p *party) request(i int) error {
	p.stamp(i)
	if p.samples != nil {
		p.samples[i] = time.Since(p.b.begin)
	}
	return p.s.Send(context.Background(), p.out)
}
