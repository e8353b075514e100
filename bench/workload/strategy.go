package workload

import (
	"context"
	"errors"

	"github.com/go-zmq/go-zmq/zmq"
)

// newWay returns the way that replaces the plain calls, or nil.
func newWay(p *party) way {
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
	}
	if p.spec.Mode == Poll && !p.sends {
		return polled{newBatched(p)}
	}
	returns := p.spec.Pattern.returns()
	switch {
	case p.spec.Mode == Batch && returns:
		return conversing{newBatched(p)}
	case p.spec.Strategy == BatchCopy, p.spec.Mode == Batch, p.spec.Mode == Poll, p.spec.Mode == ReadAhead && !returns:
		return newBatched(p)
	}
	return nil
}

// each calls f for every message of a run, after writing its number into the template.
func (p *party) each(messages int, f func() error) error {
	for i := range messages {
		p.stamp(i)
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// newSlices allocates a new slice for each message, like a program that does not optimize
// memory.
type newSlices struct{ *party }

func (b newSlices) send(messages int) error {
	return b.each(messages, func() error {
		p := make([]byte, len(b.out))
		copy(p, b.out)
		return b.sendBytes(p)
	})
}

func (b newSlices) receive(messages int) error { return b.all(b, messages) }

func (b newSlices) take(i int, flags ...zmq.Flag) error {
	if err := b.takeID(flags...); err != nil {
		return err
	}
	p, err := b.s.RecvBytes(context.Background(), flags...)
	if err != nil {
		return err
	}
	return b.check(i, p)
}

func (newSlices) close() error { return nil }

// pooledSlices uses Go's standard way to avoid garbage: a sync.Pool, shared by all
// parties. The pool holds *[]byte, because converting a slice to an interface would
// allocate.
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

func (b pooledSlices) receive(messages int) error { return b.all(b, messages) }

func (b pooledSlices) take(i int, flags ...zmq.Flag) error {
	if err := b.takeID(flags...); err != nil {
		return err
	}
	p := b.b.slices.Get().(*[]byte)
	n, err := b.s.Recv(context.Background(), *p, flags...)
	if err == nil {
		err = b.check(i, (*p)[:n])
	}
	b.b.slices.Put(p)
	if err != nil {
		return wrongSize(err)
	}
	return nil
}

func (pooledSlices) close() error { return nil }

// messaging is shared by the strategies that use Messages. The receiver reuses one
// Message.
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

func (b *messaging) receive(messages int) error { return b.all(b, messages) }

func (b *messaging) take(i int, flags ...zmq.Flag) error {
	if err := b.takeID(flags...); err != nil {
		return err
	}
	if err := b.s.RecvMessage(context.Background(), &b.got, flags...); err != nil {
		return err
	}
	return b.check(i, b.got.Bytes())
}

func (b *messaging) close() error { return b.got.Close() }

// reusedMessage allocates new native memory for each message, and creates no garbage.
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

// lending lends Go memory to libzmq, and reuses the memory that libzmq returns.
type lending struct {
	messaging
	free chan *loan
}

// A loan is a block of memory with its release function, so that the function is created
// once.
type loan struct {
	p    []byte
	back func()
}

// loansKept is the largest number of loans that are kept. There can be more outstanding
// loans than the high-water marks (HWM) allow, because release functions run on a
// goroutine that may be late. With room for only that many, most messages of 64 bytes
// found none.
const loansKept = 1 << 14

func newLending(p *party) *lending {
	return &lending{messaging{party: p}, make(chan *loan, loansKept)}
}

// borrow returns memory that is not in use.
func (b *lending) borrow() *loan {
	select {
	case l := <-b.free:
		return l
	default:
	}
	l := &loan{p: make([]byte, b.spec.Size)}
	l.back = func() {
		select {
		case b.free <- l:
		default: // the list is full: leave it to the garbage collector
		}
	}
	return l
}

func (b *lending) send(messages int) error {
	return b.each(messages, func() error {
		l := b.borrow()
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

// pooled takes its memory from package pool.
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
