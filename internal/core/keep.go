package core

import "github.com/go-zmq/go-zmq/internal/libzmq"

// keepFrom is the number of bytes from which the parts of a blocked send are copied once, and
// not on each attempt.
const keepFrom = 512

// keep makes native copies of a message, which an attempt in vain does not copy again. Native
// parts of the message move there as well. restore undoes that. The socket's mutex is held
// during both.
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
