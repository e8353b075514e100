package zmq

import (
	"fmt"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// MoveTo moves the content of m into dst without copying it, and releases what dst
// held. m is empty afterwards.
//
// libzmq: zmq_msg_move.
func (m *Message) MoveTo(dst *Message) error {
	if err := m.usable("move"); err != nil {
		return err
	}
	if err := dst.usable("move"); err != nil {
		return err
	}
	if dst != m {
		dst.msg.Close()
		dst.msg.Take(&m.msg)
	}
	return nil
}

// Shared reports whether libzmq counts references to the content, because it was
// cloned or arrived with others in one buffer: it may not be the only one's, and must
// not be written. Short content is copied by Clone and never shared.
//
// libzmq: zmq_msg_get, ZMQ_SHARED.
func (m *Message) Shared() bool {
	return m != nil && m.msg.Live() && m.msg.Shared()
}

// Append moves the content of m, which is empty afterwards, into a new last part.
// Parts are moved in memory when there is no room: take their addresses, and slices
// of Bytes, again. A Multipart is for one goroutine at a time.
//
// libzmq: zmq_msg_move.
func (p *Multipart) Append(m *Message) error { return p.insert("append", p.len(), m) }

// Insert moves the content of m, which is empty afterwards, into a new part before
// part i; p.Insert(0, &id) puts an id in front. Parts are moved in memory, as by
// Append.
//
// libzmq: zmq_msg_move.
func (p *Multipart) Insert(i int, m *Message) error { return p.insert("insert", i, m) }

func (p *Multipart) len() int {
	if p == nil {
		return 0
	}
	return len(*p)
}

func (p *Multipart) insert(op string, i int, m *Message) error {
	if err := m.usable(op); err != nil {
		return err
	}
	if p == nil || i < 0 || i > len(*p) {
		return errNoPart(op, i, p.len())
	}
	msgs := p.msgs()
	n := len(msgs)
	if n == cap(msgs) {
		grown := make([]libzmq.Msg, n, 2*n+2)
		for k := range msgs {
			grown[k].Take(&msgs[k])
		}
		msgs = grown
	}
	// What lies beyond the length may still hold content: RecvMultipartMessage
	// leaves it for the next call to release.
	msgs = msgs[:n+1]
	msgs[n].Close()
	for k := n; k > i; k-- {
		msgs[k].Take(&msgs[k-1])
	}
	msgs[i].Take(&m.msg)
	*p = multipartOf(msgs)
	return nil
}

// Remove takes part i out and moves its content into dst, which releases what it
// held; with a nil dst the content is released. p.Remove(0, &id) takes an id off.
// The parts behind it are moved in memory, as by Append.
//
// libzmq: zmq_msg_move.
func (p *Multipart) Remove(i int, dst *Message) error {
	if p == nil || i < 0 || i >= len(*p) {
		return errNoPart("remove", i, p.len())
	}
	if dst != nil {
		if err := dst.usable("remove"); err != nil {
			return err
		}
	}
	msgs := p.msgs()
	removed := &msgs[i]
	if dst == nil {
		removed.Close()
	} else {
		dst.msg.Close()
		dst.msg.Take(removed)
	}
	for k := i + 1; k < len(msgs); k++ {
		msgs[k-1].Take(&msgs[k])
	}
	*p = multipartOf(msgs[:len(msgs)-1])
	return nil
}

func errNoPart(op string, i, parts int) error {
	return &Error{Op: op, Errno: syscall.EINVAL, Detail: fmt.Sprintf("there is no place %d in a message of %d parts", i, parts)}
}
