package core

import "github.com/go-zmq/go-zmq/internal/libzmq"

// list is a message of bytes and native parts.
type list struct {
	flat []byte  // the bytes of the other parts, one after another
	lens []int64 // length of each part; -1-i stands for msgs[i]. If it is nil, msgs are the parts.
	msgs []libzmq.Msg
}

// part returns the content of a part.
func (l *list) part(i int) []byte {
	if l.lens == nil {
		return l.msgs[i].Bytes()
	}
	if n := l.lens[i]; n < 0 {
		return l.msgs[-1-n].Bytes()
	}
	at := int64(0)
	for _, n := range l.lens[:i] {
		at += max(n, 0)
	}
	return l.flat[at:][:l.lens[i]]
}

// outgoing collects the parts of a message that is sent as a whole.
type outgoing struct {
	list
	finishing bool // a goroutine sends the parts with the last one
	failed    bool // the last part could not be sent
}

// idle reports whether no message has been started.
func (o *outgoing) idle() bool { return len(o.lens) == 0 && !o.finishing }

// pending returns an error if a message has been started, so that no other one may be
// sent.
func (o *outgoing) pending() error {
	switch {
	case o.finishing:
		return ErrFinishing
	case len(o.lens) > 0:
		return ErrPending
	}
	return nil
}

func (o *outgoing) appendBytes(part []byte) {
	o.flat = append(o.flat, part...)
	o.lens = append(o.lens, int64(len(part)))
}

// appendMsg takes ownership of the content of m.
func (o *outgoing) appendMsg(m *libzmq.Msg) {
	o.lens = append(o.lens, -1-int64(len(o.msgs)))
	o.msgs = append(o.msgs, libzmq.Msg{})
	o.msgs[len(o.msgs)-1].Take(m)
}

// dropLast undoes the last append. The content of a native message goes back to m.
func (o *outgoing) dropLast(m *libzmq.Msg) {
	last := len(o.lens) - 1
	if n := o.lens[last]; n >= 0 {
		o.flat = o.flat[:len(o.flat)-int(n)]
	} else {
		m.Take(&o.msgs[len(o.msgs)-1])
		o.msgs = o.msgs[:len(o.msgs)-1]
	}
	o.lens = o.lens[:last]
}

// maxKept bounds the memory that a socket keeps for collecting parts.
const maxKept = 64 << 10

// reset empties o for reuse and releases native content that was not sent.
func (o *outgoing) reset() {
	libzmq.CloseMsgs(o.msgs)
	if cap(o.flat) > maxKept {
		o.flat = nil
	}
	o.flat, o.lens, o.msgs = o.flat[:0], o.lens[:0], o.msgs[:0]
	o.finishing, o.failed = false, false
}
