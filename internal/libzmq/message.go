package libzmq

/*
#include "shim.h"

#cgo noescape gz_msg_alloc
#cgo nocallback gz_msg_alloc
#cgo noescape gz_msg_clone
#cgo nocallback gz_msg_clone
#cgo noescape gz_msgs_close
#cgo nocallback gz_msgs_close
#cgo noescape gz_msg_shared
#cgo nocallback gz_msg_shared
#cgo noescape gz_msg_property
#cgo nocallback gz_msg_property
*/
import "C"

import (
	"sync/atomic"
	"unsafe"
)

// Msg is one part of a message: libzmq's 64 bytes, followed by the fields that let Go
// read the content without a cgo call. The zero value is an empty part. A Msg holds no Go
// pointers, so the garbage collector does not scan it, and a slice of Msgs is passed to C
// unchanged. A Msg may be moved in memory, but only one copy may be used afterwards.
//
// The content may also be memory that libzmq has not seen yet: memory of a Buffer, or
// borrowed bytes (see Lend).
type Msg struct {
	raw    [8]uint64
	data   uintptr
	size   int64
	flags  uint16
	offset uint16
	owner  uint32
}

const (
	msgLive = 1
	msgMore = 2
	msgOurs = 4
)

// Go and C must agree on the size of the structure.
var (
	_ [unsafe.Sizeof(Msg{}) - C.sizeof_gz_msg]struct{}
	_ [C.sizeof_gz_msg - unsafe.Sizeof(Msg{})]struct{}
)

// Bytes returns the content. The slice is valid until the message is closed, sent, moved
// or received into.
func (m *Msg) Bytes() []byte {
	if m.size == 0 {
		return nil
	}
	if m.data == 0 {
		return (*[64]byte)(unsafe.Pointer(&m.raw))[m.offset:][:m.size:m.size]
	}
	// The address lies in libzmq's heap, which the garbage collector does not move.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&m.data)), m.size)
}

// Len returns the size of the content in bytes.
func (m *Msg) Len() int { return int(m.size) }

// More reports whether another part of the same message follows.
func (m *Msg) More() bool { return m.flags&msgMore != 0 }

// SetMore sets whether another part of the same message follows.
func (m *Msg) SetMore(more bool) {
	m.flags &^= msgMore
	if more {
		m.flags |= msgMore
	}
}

// Live reports whether libzmq knows the message. Such a message may hold libzmq's memory.
func (m *Msg) Live() bool { return m.flags&msgLive != 0 }

// Ours reports whether the content is memory that was or will be lent to libzmq.
func (m *Msg) Ours() bool { return m.flags&msgOurs != 0 }

// Holds reports whether the message may hold memory that must be released.
func (m *Msg) Holds() bool { return m.flags != 0 }

// Take moves the content of src into m, which must be empty, and empties src. Each Msg
// keeps its owner.
func (m *Msg) Take(src *Msg) {
	owner := m.owner
	*m = *src
	m.owner = owner
	*src = Msg{owner: src.owner}
}

// Swap exchanges the contents of m and o. Each Msg keeps its owner.
func (m *Msg) Swap(o *Msg) {
	*m, *o = *o, *m
	m.owner, o.owner = o.owner, m.owner
}

// Owner returns the mark that SetOwner stored. The mark belongs to the structure and does
// not change with the content.
func (m *Msg) Owner() uint32 { return atomic.LoadUint32(&m.owner) }

// SetOwner stores a mark in the structure. If its lowest bit is set, the message is idle
// in a pool and must not be used.
func (m *Msg) SetOwner(owner uint32) { atomic.StoreUint32(&m.owner, owner) }

// ChangeOwner replaces the mark if it equals old, and reports whether it did.
func (m *Msg) ChangeOwner(old, owner uint32) bool {
	return atomic.CompareAndSwapUint32(&m.owner, old, owner)
}

// Idle reports whether the message is idle in a pool.
func (m *Msg) Idle() bool { return m.Owner()&1 != 0 }

func (m *Msg) c() *C.gz_msg { return (*C.gz_msg)(unsafe.Pointer(m)) }

// Alloc releases the content of m and gives it a new content of size bytes in libzmq's
// memory. It returns 0 or -errno.
//
// Implements: zmq_msg_init_size
func (m *Msg) Alloc(size int) int { return int(C.gz_msg_alloc(m.c(), C.int64_t(size))) }

// Clone makes dst, which must be empty, share the content of m. It returns 0 or -errno.
//
// Implements: zmq_msg_copy
func (m *Msg) Clone(dst *Msg) int { return int(C.gz_msg_clone(dst.c(), m.c())) }

// CloseMsgs releases the content of all msgs in one cgo call, or none if they are empty.
//
// Implements: zmq_msg_close
func CloseMsgs(msgs []Msg) {
	for i := range msgs {
		if msgs[i].Holds() {
			C.gz_msgs_close(msgPointer(msgs[i:]), C.int(len(msgs)-i))
			return
		}
	}
}

// MoveMsgs moves the messages of from to the beginning of to, which must be empty. It clears
// from, because the caller may still have views of these messages and close them.
func MoveMsgs(to, from []Msg) {
	copy(to, from)
	clear(from)
}

// Close releases the content. It makes no cgo call for content that libzmq has not seen,
// unless the Home of the content has a wake descriptor.
//
// Implements: zmq_msg_close
func (m *Msg) Close() {
	switch b, unseen := m.Lent(); {
	case m.Live(), b != nil && b.home.wake >= 0:
		C.gz_msgs_close(m.c(), 1)
	case unseen:
		m.Forget()
		if b != nil {
			b.GiveBack()
		}
	}
}

// Shared reports whether libzmq counts references to the content, which must be live.
//
// Implements: zmq_msg_get
func (m *Msg) Shared() bool { return C.gz_msg_shared(m.c()) != 0 }

// Property copies a property's value into buf and returns its length, or -errno. If the
// length is larger than len(buf), the value did not fit. The name must not contain a NUL
// byte.
//
// Implements: zmq_msg_gets
func (m *Msg) Property(name string, buf []byte) int {
	return int(C.gz_msg_property(m.c(), cText(name), bytesPointer(buf), C.int(len(buf))))
}
