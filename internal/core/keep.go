package core

import "github.com/go-zmq/go-zmq/internal/libzmq"

// keepFrom is the number of bytes from which the parts of a blocked send are copied once, and
// not on each attempt.
const keepFrom = 512

// kept is what a blocked send had before its parts were copied. The zero value is that of a
// request whose parts were not copied.
type kept struct {
	parts  [][]byte
	list   list
	copies []libzmq.Msg
}

// keep replaces the bytes of a message by native parts, which an attempt in vain does not copy.
// The socket's mutex is held.
func (k *kept) keep(r *request) {
	if r.looks || r.batch != nil || r.parts == nil && r.lens == nil || r.size.bytes < keepFrom {
		return
	}
	k.parts, k.list = r.parts, r.list
	k.copies = make([]libzmq.Msg, r.count())
	for i := range k.copies {
		if native := k.native(i); native != nil {
			k.copies[i].Take(native)
			continue
		}
		part := r.part(i)
		if k.copies[i].Alloc(len(part)) < 0 {
			k.copies = k.copies[:i]
			k.restore(r)
			return
		}
		copy(k.copies[i].Bytes(), part)
	}
	r.own = r.parts != nil || len(r.msgs) == 0
	r.parts, r.list = nil, list{msgs: k.copies}
}

// native returns the native part i of the original message, or nil if it consists of bytes.
func (k *kept) native(i int) *libzmq.Msg {
	if k.parts != nil || k.list.lens[i] >= 0 {
		return nil
	}
	return &k.list.msgs[-1-k.list.lens[i]]
}

// restore undoes keep: it releases the copies, and returns native parts that were not sent.
func (k *kept) restore(r *request) {
	if k.copies == nil {
		return
	}
	for i := range k.copies {
		if native := k.native(i); native != nil {
			native.Take(&k.copies[i])
		}
	}
	libzmq.CloseMsgs(k.copies)
	r.parts, r.list, r.own = k.parts, k.list, false
	*k = kept{}
}
