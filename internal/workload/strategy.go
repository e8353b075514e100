package workload

import (
	"errors"
	"sync"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

// newWay returns what takes the place of the plain calls, or nil.
func newWay(b *binding) (way, error) {
	if b.spec.Mode == Poll {
		return newPolled(b)
	}
	return plainWay(b), nil
}

// plainWay is newWay for the ways whose making cannot fail.
func plainWay(b *binding) way {
	switch b.spec.Strategy {
	case Bytes:
		return &newSlices{b}
	case SyncPool:
		return newPooledSlices(b)
	case Message:
		return &reusedMessage{messaging: messaging{binding: b}}
	case ZeroCopy:
		return newLending(b)
	case Pooled:
		return &pooled{messaging{binding: b}, pool.New(pool.Config{})}
	case BatchCopy:
		return newBatched(b)
	}
	if b.spec.Mode == Batch || b.spec.Mode == ReadAhead {
		return newBatched(b)
	}
	return nil
}

// each calls f for every message of a run, after the template got its number.
func (b *binding) each(messages int, f func() error) error {
	for i := range messages {
		b.stamp(i)
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// newSlices is what a program writes that does not think of memory.
type newSlices struct{ *binding }

func (b *newSlices) send(messages int) error {
	return b.each(messages, func() error {
		p := make([]byte, len(b.out))
		copy(p, b.out)
		return b.sendBytes(p)
	})
}

func (b *newSlices) receive(messages int) error {
	for i := range messages {
		if err := b.takeID(); err != nil {
			return err
		}
		p, err := b.receiver.RecvBytes()
		if err == nil {
			err = b.check(i, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (*newSlices) close() error { return nil }

// pooledSlices has Go's usual answer to garbage.
type pooledSlices struct {
	*binding
	slices sync.Pool // of *[]byte: a slice in an interface would be garbage itself
}

func newPooledSlices(b *binding) *pooledSlices {
	return &pooledSlices{b, sync.Pool{New: func() any {
		p := make([]byte, b.spec.Size)
		return &p
	}}}
}

func (b *pooledSlices) send(messages int) error {
	return b.each(messages, func() error {
		p := b.slices.Get().(*[]byte)
		copy(*p, b.out)
		err := b.sendBytes(*p)
		b.slices.Put(p)
		return err
	})
}

func (b *pooledSlices) receive(messages int) error {
	for i := range messages {
		if err := b.takeID(); err != nil {
			return err
		}
		p := b.slices.Get().(*[]byte)
		n, err := b.receiver.Recv(*p)
		if err == nil {
			err = b.check(i, (*p)[:n])
		}
		b.slices.Put(p)
		if err != nil {
			return err
		}
	}
	return nil
}

func (*pooledSlices) close() error { return nil }

// messaging is what the strategies with Messages share: the receiver has one that
// it uses again.
type messaging struct {
	*binding
	got zmq.Message
}

// sendMessage sends a message with this payload.
func (b *messaging) sendMessage(m *zmq.Message) error {
	if b.spec.Pattern == RouterRouter {
		return b.sender.SendMessageTo(receiverID, m)
	}
	return b.sender.SendMessage(m)
}

func (b *messaging) receive(messages int) error {
	for i := range messages {
		if err := b.takeID(); err != nil {
			return err
		}
		if err := b.receiver.RecvMessage(&b.got); err != nil {
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

func newLending(b *binding) *lending {
	return &lending{messaging{binding: b}, make(chan *loan, loansKept)}
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
type pooled struct {
	messaging
	pool *pool.Pool
}

func (b *pooled) send(messages int) error {
	return b.each(messages, func() error {
		m, err := b.pool.Get(len(b.out))
		if err != nil {
			return err
		}
		copy(m.Bytes(), b.out)
		err = b.sendMessage(m)
		b.pool.Put(m)
		return err
	})
}

func (b *pooled) close() error { return errors.Join(b.messaging.close(), b.pool.Close()) }
