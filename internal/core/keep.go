package core

import "github.com/go-zmq/go-zmq/internal/libzmq"

// keepFrom is the number of bytes from which the parts of a blocked send are copied once, and
// not on each attempt.
const keepFrom = 512

// keep replaces the bytes of a message by native parts, which an attempt in vain does not copy.
// The returned function undoes that. The socket's mutex is held during both.
func (r *request) keep() (restore func()) {
	if r.looks || r.batch != nil || r.parts == nil && r.lens == nil || r.size.bytes < keepFrom {
		return func() {}
	}
	before := *r
	made := make([]libzmq.Msg, r.count())
	for i := range made {
		if r.parts == nil && r.lens[i] < 0 {
			made[i].Take(&r.msgs[-1-r.lens[i]])
			continue
		}
		part := r.part(i)
		if made[i].Alloc(len(part)) < 0 {
			before.takeBack(made[:i])
			return func() {}
		}
		copy(made[i].Bytes(), part)
	}
	r.kept = r.parts != nil || len(r.msgs) == 0
	r.parts, r.list = nil, list{msgs: made}
	return func() {
		before.takeBack(made)
		r.parts, r.list, r.kept = before.parts, before.list, false
	}
}

// takeBack releases the copies, and returns the native parts of the request that were not sent.
func (r *request) takeBack(made []libzmq.Msg) {
	for i := range made {
		if r.parts == nil && r.lens[i] < 0 {
			r.msgs[-1-r.lens[i]].Take(&made[i])
		}
	}
	libzmq.CloseMsgs(made)
}
