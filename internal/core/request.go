package core

import (
	"time"
	"unsafe"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// request is one operation of one goroutine, with the arguments for libzmq on each
// attempt. It is on the caller's stack, so that nothing is allocated.
type request struct {
	dir     Direction
	looks   bool // only waits until there is a message to receive, or room to send
	patient bool // SendTimeout and RecvTimeout are ignored; a REQ or REP waits for its turn

	// Of these, one is set. A send has parts, a list or a batch.
	parts [][]byte // copied
	list
	batch *Batch
	msg   *libzmq.Msg // for the first part that is received; the others stay in the socket

	deadline time.Time    // by SendTimeout or RecvTimeout, since the first wait of the call
	size     size         // of the message that is sent, unless that is a batch
	copies   []libzmq.Msg // of a send that waits, see keep
}

// take makes an operation on a native part a request, see do.
func (r *request) take(dir Direction, m *libzmq.Msg) {
	r.dir = dir
	switch {
	case dir == Recv:
		r.msg = m
	case m != nil:
		r.msgs = one(m)
	}
}

// count returns the number of parts of the message that is sent.
func (r *request) count() int {
	switch {
	case r.parts != nil:
		return len(r.parts)
	case r.lens != nil:
		return len(r.lens)
	}
	return len(r.msgs)
}

// part returns the content of a part of the message that is sent.
func (r *request) part(i int) []byte {
	switch {
	case r.copies != nil:
		return r.copies[i].Bytes()
	case r.parts != nil:
		return r.parts[i]
	}
	return r.list.part(i)
}

// drop drops the message that could not be sent and releases its memory, like a send
// does. It reports whether another message must be sent after it.
func (r *request) drop() (more bool) {
	if r.batch != nil {
		r.batch.skip(1)
		return r.batch.count > 0
	}
	libzmq.CloseMsgs(r.msgs)
	libzmq.CloseMsgs(r.copies)
	return false
}

// keepFrom is the number of bytes from which the parts of a blocked send are copied once, and
// not on each attempt.
const keepFrom = 512

// keep makes native copies of a message, which an attempt in vain does not copy again.
// Native parts of the message move there as well. restore undoes that.
func (r *request) keep() {
	if r.looks || r.batch != nil || r.parts == nil && r.lens == nil || r.size.bytes < keepFrom {
		return
	}
	made := make([]libzmq.Msg, r.count())
	for i := range made {
		if r.parts == nil && r.lens[i] < 0 {
			made[i].Take(&r.msgs[-1-r.lens[i]])
			continue
		}
		part := r.part(i)
		if made[i].Alloc(len(part)) < 0 {
			r.takeBack(made[:i])
			return
		}
		copy(made[i].Bytes(), part)
	}
	r.copies = made
}

// restore releases the copies, and gives back the native parts that were not sent.
func (r *request) restore() {
	r.takeBack(r.copies)
	r.copies = nil
}

func (r *request) takeBack(copies []libzmq.Msg) {
	for i := range copies {
		if r.parts == nil && r.lens[i] < 0 {
			r.msgs[-1-r.lens[i]].Take(&copies[i])
		}
	}
	libzmq.CloseMsgs(copies)
}

// one returns a slice over a single message.
func one(m *libzmq.Msg) []libzmq.Msg { return unsafe.Slice(m, 1) }

// size is the size of a message: the number of its parts, their bytes, and the bytes of
// the last part.
type size struct{ parts, bytes, last int }

func (z *size) add(bytes int) { *z = size{z.parts + 1, z.bytes + bytes, bytes} }

// measure notes the size of the message that a request sends. Native parts have to be
// measured before the send, which empties them. Batches count themselves.
func (r *request) measure() {
	z := &r.size
	for _, p := range r.parts {
		z.add(len(p))
	}
	if r.lens == nil {
		for i := range r.msgs {
			z.add(r.msgs[i].Len())
		}
	}
	for _, n := range r.lens {
		if n < 0 {
			n = int64(r.msgs[-1-n].Len())
		}
		z.add(int(n))
	}
}

// Direction is the direction of an operation.
type Direction uint8

const (
	Recv Direction = iota // wait for a message to receive
	Send                  // wait for room to send
)
