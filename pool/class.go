package pool

import (
	"math/bits"
	"sync"

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

// copyBelow is the size in bytes below which a part is copied when it is sent, so that its
// buffer is free at once. The ratio of the time with the pool's memory to the time with a
// copy, for ROUTER to ROUTER and PUSH to PULL: 64 bytes 0.96 and 1.13, 512 bytes 0.97 and
// 0.82, 1 KiB 0.83 and 0.98, 4 KiB 0.97 and 0.96, 16 KiB 0.92 and 0.86, 32 KiB 0.76 and
// 0.77. These are medians of 8 interleaved runs over tcp on two cores. For the pool's
// memory libzmq allocates 40 bytes, for a copy those and the part. It frees both on another
// thread.
const copyBelow = 512

// warmFrom is the class from which on, 16 KiB, a Get takes the buffer that returned last
// rather than an idle one. Part of that buffer may still be in the processor's
// cache. It costs a look at the stack.
const warmFrom = 8

// A class holds the idle buffers of one size. One mutex per size suffices: a message costs
// several times as much inside libzmq.
type class struct {
	size int
	home *libzmq.Home // receives sent buffers

	mu       sync.Mutex
	idle     list
	gets     int64 // buffers handed out
	misses   int64 // Gets that allocated
	returned int64 // buffers that were handed out and returned
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

// free frees all buffers.
func (l *list) free() {
	if l.first != nil {
		l.first.Free()
	}
	*l = list{}
}
