package libzmq

/*
#include "shim.h"
#include <stdlib.h>

#cgo noescape gz_msg_alloc
#cgo nocallback gz_msg_alloc
#cgo noescape gz_msg_clone
#cgo nocallback gz_msg_clone
#cgo noescape gz_msgs_close
#cgo nocallback gz_msgs_close
#cgo noescape gz_msg_property
#cgo nocallback gz_msg_property
*/
import "C"

import "unsafe"

// Msg is one part of a message: libzmq's 64 bytes and beside them what Go needs
// to read the content without crossing. The zero value is an empty part. It
// holds no Go pointers, so the garbage collector does not look inside and an
// array of them goes to C as it is. It may be moved in memory, but only one copy
// may be used afterwards.
type Msg struct {
	raw    [8]uint64
	data   uintptr
	size   int64
	flags  uint32
	offset uint32
}

const (
	msgLive = 1
	msgMore = 2
)

// The two descriptions of the structure, Go's and C's, agree.
var (
	_ [unsafe.Sizeof(Msg{}) - C.sizeof_gz_msg]struct{}
	_ [C.sizeof_gz_msg - unsafe.Sizeof(Msg{})]struct{}
)

// Bytes returns the content, valid until the message is closed, sent, moved or
// received into.
func (m *Msg) Bytes() []byte {
	if m.size == 0 {
		return nil
	}
	if m.data == 0 {
		return (*[64]byte)(unsafe.Pointer(&m.raw))[m.offset:][:m.size:m.size]
	}
	// The address is libzmq's heap, which the garbage collector does not move.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&m.data)), m.size)
}

// Len returns the size of the content in bytes.
func (m *Msg) Len() int { return int(m.size) }

// More reports whether another part of the same message follows.
func (m *Msg) More() bool { return m.flags&msgMore != 0 }

// Live reports whether the message may hold memory that has to be released.
func (m *Msg) Live() bool { return m.flags&msgLive != 0 }

// Take moves the content of src into m, which must be empty, and empties src.
func (m *Msg) Take(src *Msg) {
	*m = *src
	*src = Msg{}
}

func (m *Msg) c() *C.gz_msg { return (*C.gz_msg)(unsafe.Pointer(m)) }

// Alloc gives m a content of size bytes in libzmq's memory, releasing what it
// held: zmq_msg_init_size. 0 or -errno.
func (m *Msg) Alloc(size int) int { return int(C.gz_msg_alloc(m.c(), C.int64_t(size))) }

// Clone makes dst, which must be empty, share the content of m: zmq_msg_copy.
func (m *Msg) Clone(dst *Msg) int { return int(C.gz_msg_clone(dst.c(), m.c())) }

// CloseMsgs releases the content of all of msgs in one crossing: zmq_msg_close.
func CloseMsgs(msgs []Msg) {
	C.gz_msgs_close(msgPointer(msgs), C.int(len(msgs)))
}

// Close releases the content: zmq_msg_close.
func (m *Msg) Close() {
	if m.Live() {
		C.gz_msgs_close(m.c(), 1)
	}
}

// Property copies a property's value into buf and returns its length, which is
// larger than len(buf) if it did not fit, or -errno: zmq_msg_gets. The name must
// not contain a NUL byte.
func (m *Msg) Property(name string, buf []byte) int {
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	return int(C.gz_msg_property(m.c(), n, bytesPointer(buf), C.int(len(buf))))
}
