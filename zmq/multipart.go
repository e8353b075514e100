package zmq

import (
	"fmt"
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// MoveTo moves the content of m into dst and releases the previous content of dst. m is
// empty afterwards. The content is not copied, unless Append added it to a Batch, whose
// memory it must leave. If there is no memory for that copy, the error is ENOMEM and
// nothing changes.
//
// Implements: zmq_msg_move.
func (m *Message) MoveTo(dst *Message) error {
	if err := m.usable("move"); err != nil {
		return err
	}
	if err := dst.usable("move"); err != nil {
		return err
	}
	if dst == m {
		return nil
	}
	if err := m.own("move"); err != nil {
		return err
	}
	dst.msg[0].Close()
	dst.msg[0].Take(&m.msg[0])
	return nil
}

// own prepares m for a move to another Message. Content in the memory of a batch is
// copied, because the batch will reuse or free that memory.
func (m *Message) own(op string) error {
	view := &m.msg[0]
	if b, unseen := view.Lent(); !unseen || b != nil {
		return nil
	}
	if err := libzmq.Load(); err != nil { // a batch may be older than the first context
		return notLoaded(op, err)
	}
	var c libzmq.Msg
	if rc := c.Alloc(view.Len()); rc < 0 {
		return codeError(op, rc)
	}
	copy(c.Bytes(), view.Bytes())
	c.SetMore(view.More())
	view.Take(&c)
	return nil
}

// Shared reports whether libzmq counts references to the content, because it was cloned
// or arrived with other parts in one buffer. Such content may have other users and must
// not be modified. Clone copies short content, which is therefore never shared.
//
// Implements: zmq_msg_get(ZMQ_SHARED).
func (m *Message) Shared() bool {
	return m != nil && m.msg[0].Live() && m.msg[0].Shared()
}

// String describes the parts for logs, such as `[5 bytes "hello", 0 bytes ""]`.
func (p Multipart) String() string {
	parts := make([]string, len(p))
	for i := range p {
		parts[i] = p[i].String()
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Append moves the content of m into a new last part, like MoveTo does; m is empty
// afterwards. If the slice has no spare capacity, the parts move in memory. Pointers to
// parts, and slices that Bytes returned, are then no longer valid.
//
// Implements: zmq_msg_move.
func (p *Multipart) Append(m *Message) error { return p.insert("append", p.len(), m) }

// Insert moves the content of m into a new part before part i; m is empty afterwards. For
// example, p.Insert(0, &id) puts a routing ID in front. Parts move in memory, with the
// effects that Append describes. If m is a part of p, an empty part stays in its place.
// An i out of range returns EINVAL.
//
// Implements: zmq_msg_move.
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
	if err := m.own(op); err != nil {
		return err
	}
	msgs := p.msgs()
	n := len(msgs)
	grows := n == cap(msgs)
	for k := 0; grows && k < n; k++ {
		if err := (*p)[k].own(op); err != nil {
			return err
		}
	}
	var content libzmq.Msg
	content.Take(&m.msg[0]) // m may be one of the parts, which move
	if grows {
		grown := make([]libzmq.Msg, n, 2*n+2)
		for k := range msgs {
			grown[k].Take(&msgs[k])
		}
		msgs = grown
	}
	// Parts beyond the length may still hold content, which RecvMultipartMessage leaves for
	// the next call to release.
	msgs = msgs[:n+1]
	msgs[n].Close()
	for k := n; k > i; k-- {
		msgs[k].Take(&msgs[k-1])
	}
	msgs[i].Take(&content)
	*p = multipartOf(msgs)
	return nil
}

// Remove removes part i and moves its content into dst, like MoveTo does. If dst is nil,
// the content is released. For example, p.Remove(0, &id) removes a routing ID from the
// front. The following parts move in memory, with the effects that Append describes. An i
// out of range returns EINVAL.
//
// Implements: zmq_msg_move.
func (p *Multipart) Remove(i int, dst *Message) error {
	if p == nil || i < 0 || i >= len(*p) {
		return errNoPart("remove", i, p.len())
	}
	if dst != nil {
		if err := dst.usable("remove"); err != nil {
			return err
		}
		if err := (*p)[i].own("remove"); err != nil {
			return err
		}
	}
	msgs := p.msgs()
	removed := &msgs[i]
	if dst == nil {
		removed.Close()
	} else {
		dst.msg[0].Close()
		dst.msg[0].Take(removed)
	}
	for k := i + 1; k < len(msgs); k++ {
		msgs[k-1].Take(&msgs[k])
	}
	*p = multipartOf(msgs[:len(msgs)-1])
	return nil
}

func errNoPart(op string, i, parts int) error {
	return &Error{Op: op, Errno: syscall.EINVAL, Detail: fmt.Sprintf("index %d is out of range in a message of %d parts", i, parts)}
}
