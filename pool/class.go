package pool

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A pool has a class for each power of two from 64 bytes up.
const (
	smallest   = 6 // 64 bytes
	maxClasses = 25
	largest    = 1 << (smallest + maxClasses - 1) // 1 GiB
)

// classFor returns the number of the smallest class that has room for size bytes.
func classFor(size int) int {
	if size <= 1<<smallest {
		return 0
	}
	return bits.Len(uint(size-1)) - smallest
}

// copyBelow is the size below which a part is copied when it is sent, so that its
// buffer is back at once. Time of lending to that of copying, medians of 8
// interleaved runs over tcp on two cores, ROUTER to ROUTER and PUSH to PULL: 64
// bytes 0.96 and 1.13, 512 bytes 0.97 and 0.82, 1 KiB 0.83 and 0.98, 4 KiB 0.97 and
// 0.96, 16 KiB 0.92 and 0.86, 32 KiB 0.76 and 0.77. For what is lent libzmq allocates
// 40 bytes, for a copy those and the part; both are freed on another thread.
const copyBelow = 512

// warmFrom is the class from which on a Get prefers what came back last to what
// lies on the shelf, because part of it may still be in the processor's cache: 16
// KiB. It costs a look at the stack.
const warmFrom = 8

// A class holds the idle buffers of one size that no shelf holds.
type class struct {
	size int
	home *libzmq.Home // where sent buffers come back to; nil without memory

	misses   atomic.Int64 // Gets that had to allocate
	returned atomic.Int64 // buffers that were handed out and came back

	mu   sync.Mutex
	idle list
}

// A list of buffers. The zero value is empty.
type list struct {
	first *libzmq.Buffer
	n     int
}

func (l *list) push(b *libzmq.Buffer) {
	b.Next, l.first = l.first, b
	l.n++
}

func (l *list) pop() *libzmq.Buffer {
	b := l.first
	if b != nil {
		l.first = b.Next
		l.n--
	}
	return b
}

// move takes up to n buffers from the front of l to the front of to.
func (l *list) move(to *list, n int) {
	for ; n > 0 && l.first != nil; n-- {
		to.push(l.pop())
	}
}

// free frees all.
func (l *list) free() {
	if l.first != nil {
		l.first.Free()
	}
	*l = list{}
}

func (c *class) nothingBack() bool { return c.home == nil || c.home.Empty() }

// collect returns the buffers that have come back.
func (c *class) collect() (l list) {
	if c.home == nil {
		return l
	}
	l.first = c.home.Take()
	for b := l.first; b != nil; b = b.Next {
		l.n++
	}
	if l.n > 0 {
		c.returned.Add(int64(l.n))
	}
	return l
}
