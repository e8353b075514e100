package libzmq

/*
#include "shim.h"

#cgo noescape gz_home_take
#cgo nocallback gz_home_take
#cgo noescape gz_buffers_alloc
#cgo nocallback gz_buffers_alloc
#cgo noescape gz_buffers_free
#cgo nocallback gz_buffers_free
*/
import "C"

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Buffer is the header of a block of native memory that is lent to libzmq. When libzmq
// has finished with the memory, C code on any thread pushes the Buffer onto its Home. A
// Buffer lies outside the Go heap.
type Buffer struct {
	Next *Buffer // the next Buffer of a list, while the Buffer is unused
	home *Home
	_    int64 // copy_below
	Tag  int64 // this field and the next three belong to the user

	// These fields detect writes to lent memory. Watched says whether to check. Sum is
	// the sum over the lent bytes. Sealed is their number, or -1 while no bytes are lent.
	Watched int64
	Sum     uint64
	Sealed  int64
	_       uint64
}

// Home receives the buffers that libzmq returns. It is a stack: any thread may push onto
// it without a lock, and Go takes the whole stack at once.
type Home struct {
	head uintptr
	live int64
	wake int64
	_    [5]uint64 // heads and padding
}

const closedHome = 1 // the head of a Home that accepts no more buffers

// Go and C must agree on the sizes of these structures.
var (
	_ [unsafe.Sizeof(Buffer{}) - C.sizeof_gz_buffer]struct{}
	_ [C.sizeof_gz_buffer - unsafe.Sizeof(Buffer{})]struct{}
	_ [unsafe.Sizeof(Home{}) - C.sizeof_gz_home]struct{}
	_ [C.sizeof_gz_home - unsafe.Sizeof(Home{})]struct{}
)

// A Home is never freed, because a thread of libzmq may be about to read it. A Home in
// left is reused after its last Buffer has been freed.
var homes struct {
	sync.Mutex
	left []*Home
}

// OpenHome creates a Home, or returns nil if memory is exhausted. If wake is not
// negative, C code writes one byte to that descriptor each time a buffer is returned to
// an empty Home. Writing to the descriptor must not block.
func OpenHome(wake int) *Home {
	homes.Lock()
	defer homes.Unlock()
	for i, h := range homes.left {
		if h.Live() == 0 {
			homes.left = slices.Delete(homes.left, i, i+1)
			h.wake = int64(wake)
			atomic.StoreUintptr(&h.head, 0)
			return h
		}
	}
	return (*Home)(unsafe.Pointer(C.gz_home_open(C.int(wake))))
}

// Close frees the returned buffers. Buffers that are returned later are freed at once.
// After Close, only Live and Leave may be called.
func (h *Home) Close() { C.gz_home_close((*C.gz_home)(unsafe.Pointer(h))) }

// Live returns the number of buffers that exist.
func (h *Home) Live() int { return int(atomic.LoadInt64(&h.live)) }

// Leave makes a closed Home available for reuse.
func (h *Home) Leave() {
	homes.Lock()
	homes.left = append(homes.left, h)
	homes.Unlock()
}

// Alloc allocates a list of up to n buffers with room for size bytes each. It returns
// fewer buffers, or nil, if memory is exhausted. Parts shorter than copyBelow are copied
// when they are sent, not lent. The memory is not cleared.
func (h *Home) Alloc(size, copyBelow, tag, n int) *Buffer {
	return (*Buffer)(unsafe.Pointer(C.gz_buffers_alloc((*C.gz_home)(unsafe.Pointer(h)),
		C.int64_t(size), C.int64_t(copyBelow), C.int64_t(tag), C.int(n))))
}

// AllocHeads allocates n buffers without memory of their own. It returns nil if memory is
// exhausted.
func (h *Home) AllocHeads(n int) []Buffer {
	p := C.gz_heads_alloc((*C.gz_home)(unsafe.Pointer(h)), C.int(n))
	if p == nil {
		return nil
	}
	return unsafe.Slice((*Buffer)(unsafe.Pointer(p)), n)
}

// FreeHeads frees the slice that AllocHeads returned. None of its buffers may be lent.
func (h *Home) FreeHeads(heads []Buffer) {
	C.gz_heads_free((*C.gz_home)(unsafe.Pointer(h)), (*C.gz_buffer)(unsafe.Pointer(unsafe.SliceData(heads))))
}

// Empty reports whether there is no returned buffer to take.
func (h *Home) Empty() bool { return atomic.LoadUintptr(&h.head) <= closedHome }

// Take removes and returns the list of returned buffers, the most recent first. It does
// not call into C.
func (h *Home) Take() *Buffer {
	for {
		head := atomic.LoadUintptr(&h.head)
		if head == 0 || head == closedHome {
			return nil
		}
		if atomic.CompareAndSwapUintptr(&h.head, head, 0) {
			return bufferAt(head)
		}
	}
}

// TakeInOrder is like Take, but returns the oldest buffer first. The Home must be open.
// TakeInOrder calls into C. A goroutine that calls into C sees what another goroutine did
// before its earlier call into C, and Go's race detector knows this order. The caller may
// therefore write to Go memory that the other goroutine has read.
func (h *Home) TakeInOrder() *Buffer {
	return (*Buffer)(unsafe.Pointer(C.gz_home_take((*C.gz_home)(unsafe.Pointer(h)))))
}

func bufferAt(address uintptr) *Buffer {
	// The address lies in the C heap, which the garbage collector does not move.
	return *(**Buffer)(unsafe.Pointer(&address))
}

// GiveBack returns a buffer that was not sent to its Home. The Home must not have a wake
// descriptor.
func (b *Buffer) GiveBack() {
	for {
		head := atomic.LoadUintptr(&b.home.head)
		if head == closedHome {
			b.Next = nil
			b.Free()
			return
		}
		b.Next = bufferAt(head)
		if atomic.CompareAndSwapUintptr(&b.home.head, head, uintptr(unsafe.Pointer(b))) {
			return
		}
	}
}

// Home returns the Home that the buffer is returned to.
func (b *Buffer) Home() *Home { return b.home }

// Free frees the list of buffers that starts with b.
func (b *Buffer) Free() {
	C.gz_buffers_free((*C.gz_buffer)(unsafe.Pointer(b)))
}

// Content returns the address of the memory behind the header.
func (b *Buffer) Content() unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(b), unsafe.Sizeof(*b))
}

// Lend makes the size bytes at content the content of m, which must be empty. b is
// returned to its Home when libzmq has finished with the bytes, or when the message is
// closed unsent. The bytes may be Go memory if they are pinned until then. If b is nil,
// the bytes are borrowed: they are copied when they are sent, and must stay valid until
// then or until m is closed.
func (m *Msg) Lend(b *Buffer, content unsafe.Pointer, size int, more bool) {
	m.raw[0] = uint64(uintptr(unsafe.Pointer(b)))
	m.data = uintptr(content)
	m.size = int64(size)
	m.offset = 0
	m.flags = msgOurs
	if more {
		m.flags = msgOurs | msgMore
	}
}

// View is like Lend for borrowed bytes.
func (m *Msg) View(content []byte, more bool) {
	m.Lend(nil, unsafe.Pointer(unsafe.SliceData(content)), len(content), more)
}

// Lent returns the buffer of content that libzmq has not seen yet. b is nil for borrowed
// bytes.
func (m *Msg) Lent() (b *Buffer, unseen bool) {
	if m.flags&(msgOurs|msgLive) != msgOurs {
		return nil, false
	}
	return bufferAt(uintptr(m.raw[0])), true
}

// Forget empties m without releasing its content.
func (m *Msg) Forget() {
	m.flags, m.data, m.size, m.offset = 0, 0, 0, 0
}

// Memory allocates n bytes on the C heap. It returns nil if memory is exhausted.
func Memory(n int) []byte {
	p := (*byte)(C.gz_memory_alloc(C.int64_t(n)))
	if p == nil {
		return nil
	}
	return unsafe.Slice(p, n)
}

// FreeMemory frees a slice that Memory returned.
func FreeMemory(p []byte) {
	C.gz_memory_free(unsafe.Pointer(unsafe.SliceData(p)))
}
