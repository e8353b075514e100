package workload

import (
	"context"
	"errors"

	"github.com/go-zmq/go-zmq/zmq"
)

// newWay returns what takes the place of the plain calls, or nil.
func newWay(p *party, sends bool) (way, error) {
	if p.spec.Mode == Poll && !sends {
		return newPolled(p)
	}
	return plainWay(p), nil
}

// plainWay is newWay for the ways whose making cannot fail.
func plainWay(p *party) way {
	switch p.spec.Strategy {
	case Bytes:
		return newSlices{p}
	case SyncPool:
		return pooledSlices{p}
	case Message:
		return &reusedMessage{messaging: messaging{party: p}}
	case ZeroCopy:
		return newLending(p)
	case Pooled:
		return &pooled{messaging{party: p}}
	case BatchCopy:
		return newBatched(p)
	}
	returns := p.spec.Pattern.returns()
	switch {
	case p.spec.Mode == Batch && returns:
		return conversing{newBatched(p)}
	case p.spec.Mode == Batch, p.spec.Mode == Poll, p.spec.Mode == ReadAhead && !returns:
		return newBatched(p)
	}
	return nil
}

// each calls f for every message of a run, after the template got its number.
func (p *party) each(messages int, f func() error) error {
	for i := range messages {
		p.stamp(i)
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// newSlices is what a program writes that does not think of memory.
type newSlices struct{ *party }

func (b newSlices) send(messages int) error {
	return b.each(messages, func() error {
		p := make([]byte, len(b.out))
		copy(p, b.out)
		return b.sendBytes(p)
	})
}

func (b newSlices) receive(messages int) error {
	for i := range messages {
		if err := b.takeID(); err != nil {
			return err
		}
		p, err := b.s.RecvBytes(context.Background())
		if err == nil {
			err = b.check(i, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (newSlices) close() error { return nil }

// pooledSlices has Go's usual answer to garbage: a pool, here of all parties, of
// *[]byte, for a slice in an interface would be garbage itself.
type pooledSlices struct{ *party }

func (b pooledSlices) send(messages int) error {
	return b.each(messages, func() error {
		p := b.b.slices.Get().(*[]byte)
		copy(*p, b.out)
		err := b.sendBytes(*p)
		b.b.slices.Put(p)
		return err
	})
}

func (b pooledSlices) receive(messages int) error {
	for i := range messages {
		if err := b.takeID(); err != nil {
			return err
		}
		p := b.b.slices.Get().(*[]byte)
		n, err := b.s.Recv(context.Background(), *p)
		if err == nil {
			err = b.check(i, (*p)[:n])
		}
		b.b.slices.Put(p)
		if err != nil {
			return wrongSize(err)
		}
	}
	return nil
}

func (pooledSlices) close() error { return nil }

// messaging is what the strategies with Messages share: the receiver has one that
// it uses again.
type messaging struct {
	*party
	got zmq.Message
}

// sendMessage sends a message with this payload.
func (b *messaging) sendMessage(m *zmq.Message) error {
	if b.spec.Pattern == RouterRouter {
		return b.s.SendMessageTo(context.Background(), receiverID, m)
	}
	return b.s.SendMessage(context.Background(), m)
}

func (b *messaging) receive(messages int) error {
	for i := range messages {
		if err := b.takeID(); err != nil {
			return err
		}
		if err := b.s.RecvMessage(context.Background(), &b.got); err != nil {
			return err
		}
		if err := b.check(i, b.got.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func (b *messaging) close() error { return b.got.Close() }

// reusedMessage fills new native memory for each message, and has no garbage.
type reusedMessage struct {
	messaging
	m zmq.Message
}

func (b *reusedMessage) send(messages int) error {
	return b.each(messages, func() error {
		if err := b.m.Alloc(len(b.out)); err != nil {
			return err
		}
		copy(b.m.Bytes(), b.out)
		return b.sendMessage(&b.m)
	})
}

func (b *reusedMessage) close() error { return errors.Join(b.m.Close(), b.messaging.close()) }

// lending lends Go's memory to libzmq, and keeps what comes back.
type lending struct {
	messaging
	free chan *loan
}

// A loan is memory together with what is called when it comes back, so that this
// is made once.
type loan struct {
	p    []byte
	back func()
}

// loansKept is how many loans are kept at most. More are under way than the
// high-water marks allow, since release functions run on a goroutine that may lag
// behind: with room for just those, most messages of 64 bytes found none.
const loansKept = 1 << 14

func newLending(p *party) *lending {
	return &lending{messaging{party: p}, make(chan *loan, loansKept)}
}

// take returns memory that nobody uses.
func (b *lending) take() *loan {
	select {
	case l := <-b.free:
		return l
	default:
	}
	l := &loan{p: make([]byte, b.spec.Size)}
	l.back = func() {
		select {
		case b.free <- l:
		default: // the list is full: garbage
		}
	}
	return l
}

func (b *lending) send(messages int) error {
	return b.each(messages, func() error {
		l := b.take()
		copy(l.p, b.out)
		m, err := zmq.NewMessageZeroCopy(l.p, l.back)
		if err != nil {
			return err
		}
		if err := b.sendMessage(m); err != nil {
			return errors.Join(err, m.Close())
		}
		return nil
	})
}

// pooled has its memory from package pool.
type pooled struct{ messaging }

func (b *pooled) send(messages int) error {
	return b.each(messages, func() error {
		m, err := b.b.pool.Get(len(b.out))
		if err != nil {
			return err
		}
		copy(m.Bytes(), b.out)
		err = b.sendMessage(m)
		b.b.pool.Put(m)
		return err
	})
}
