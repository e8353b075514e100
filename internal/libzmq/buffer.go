package libzmq

/*
#include "shim.h"

#cgo noescape gz_home_open
#cgo nocallback gz_home_open
#cgo noescape gz_home_close
#cgo nocallback gz_home_close
#cgo noescape gz_home_take
#cgo nocallback gz_home_take
#cgo noescape gz_buffers_alloc
#cgo nocallback gz_buffers_alloc
#cgo noescape gz_heads_alloc
#cgo nocallback gz_heads_alloc
#cgo noescape gz_heads_free
#cgo nocallback gz_heads_free
#cgo noescape gz_buffers_free
#cgo nocallback gz_buffers_free
#cgo noescape gz_memory_alloc
#cgo nocallback gz_memory_alloc
#cgo noescape gz_memory_free
#cgo nocallback gz_memory_free
*/
import "C"

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Buffer is the head of a piece of native memory that is lent to libzmq and comes
// back through its Home, pushed there by C code on whichever thread libzmq is done
// with it. It lies outside of Go's heap.
type Buffer struct {
	Next *Buffer // in a list, while nobody uses it
	home *Home
	_    int64 // copy_below
	Tag  int64 // the user's, as what follows

	// For finding out who writes to memory that is lent: whether anyone wants to
	// know, and the sum over the bytes that were lent, and their number; -1 while
	// they are not.
	Watched int64
	Sum     uint64
	Sealed  int64
	_       uint64
}

// Home is where buffers come back to: a stack that any thread may push on without
// a lock, and that is taken whole.
type Home struct {
	head uintptr
	live int64
	wake int64
	_    [5]uint64 // heads, and room
}

const closedHome = 1 // a head that says that nothing is taken back any more

// The descriptions of the structures, Go's and C's, agree.
var (
	_ [unsafe.Sizeof(Buffer{}) - C.sizeof_gz_buffer]struct{}
	_ [C.sizeof_gz_buffer - unsafe.Sizeof(Buffer{})]struct{}
	_ [unsafe.Sizeof(Home{}) - C.sizeof_gz_home]struct{}
	_ [C.sizeof_gz_home - unsafe.Sizeof(Home{})]struct{}
)

// Homes are never freed, since a thread of libzmq's may be about to look at one;
// those that were left are used again once their last Buffer is gone.
var homes struct {
	sync.Mutex
	left []*Home
}

// OpenHome makes a Home, nil without memory. When wake is not negative, one byte
// is written to that descriptor each time that something comes back to an empty
// Home; writing to it must not block.
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

// Close frees what has come back, and has the rest freed when it comes. Afterwards
// only Live and Leave may be called.
func (h *Home) Close() { C.gz_home_close((*C.gz_home)(unsafe.Pointer(h))) }

// Live returns the number of buffers that exist.
func (h *Home) Live() int { return int(atomic.LoadInt64(&h.live)) }

// Leave lets a closed Home go.
func (h *Home) Leave() {
	homes.Lock()
	homes.left = append(homes.left, h)
	homes.Unlock()
}

// Alloc makes up to n buffers with room for size bytes, as a list; fewer or none
// without memory. Parts shorter than copyBelow are copied when they are sent,
// rather than lent. Their memory is not cleared.
func (h *Home) Alloc(size, copyBelow, tag, n int) *Buffer {
	return (*Buffer)(unsafe.Pointer(C.gz_buffers_alloc((*C.gz_home)(unsafe.Pointer(h)),
		C.int64_t(size), C.int64_t(copyBelow), C.int64_t(tag), C.int(n))))
}

// AllocHeads makes n buffers without room of their own, nil without memory.
func (h *Home) AllocHeads(n int) []Buffer {
	p := C.gz_heads_alloc((*C.gz_home)(unsafe.Pointer(h)), C.int(n))
	if p == nil {
		return nil
	}
	return unsafe.Slice((*Buffer)(unsafe.Pointer(p)), n)
}

// FreeHeads frees what AllocHeads returned. None of them may be lent.
func (h *Home) FreeHeads(heads []Buffer) {
	C.gz_heads_free((*C.gz_home)(unsafe.Pointer(h)), (*C.gz_buffer)(unsafe.Pointer(unsafe.SliceData(heads))))
}

// Empty reports whether nothing has come back.
func (h *Home) Empty() bool { return atomic.LoadUintptr(&h.head) <= closedHome }

// Take returns the list of buffers that have come back, the last one first.
// It does not cross.
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

// TakeInOrder is Take with the first one first, for a Home that is open. It crosses:
// whoever crosses later than another sees what that one did before its crossing, to
// Go's race detector, too, and so may write to Go's memory that the other has read.
func (h *Home) TakeInOrder() *Buffer {
	return (*Buffer)(unsafe.Pointer(C.gz_home_take((*C.gz_home)(unsafe.Pointer(h)))))
}

func bufferAt(address uintptr) *Buffer {
	// The address is C's heap, which the garbage collector does not move.
	return *(**Buffer)(unsafe.Pointer(&address))
}

// GiveBack gives a buffer back that was not sent. Its Home must be one without a
// descriptor to wake.
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

// Home returns where the buffer comes back to.
func (b *Buffer) Home() *Home { return b.home }

// Free frees a list of buffers.
func (b *Buffer) Free() {
	C.gz_buffers_free((*C.gz_buffer)(unsafe.Pointer(b)))
}

// Content returns the address of the memory behind the head.
func (b *Buffer) Content() unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(b), unsafe.Sizeof(*b))
}

// Lend makes the size bytes at content the content of m, which must be empty. b
// comes back when libzmq is done with them, or the message is closed unsent. The
// bytes may be Go's if they are pinned until then. A nil b means that the bytes
// are only looked at: they are copied when they are sent, and must stay until
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

// View is Lend for bytes that are only looked at.
func (m *Msg) View(content []byte, more bool) {
	m.Lend(nil, unsafe.Pointer(unsafe.SliceData(content)), len(content), more)
}

// Lent returns the buffer of a content that libzmq has not seen yet; nil for
// bytes that are only looked at.
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

// Memory is n bytes on C's heap, nil without memory.
func Memory(n int) []byte {
	p := (*byte)(C.gz_memory_alloc(C.int64_t(n)))
	if p == nil {
		return nil
	}
	return unsafe.Slice(p, n)
}

// FreeMemory frees what Memory returned.
func FreeMemory(p []byte) {
	C.gz_memory_free(unsafe.Pointer(unsafe.SliceData(p)))
}
