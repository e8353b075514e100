package core

import "github.com/go-zmq/go-zmq/internal/libzmq"

// arena is native memory for bytes that live until a common end. Pieces do not
// move. After a while one chunk holds all, and nothing is allocated any more.
type arena struct {
	chunks [][]byte // the last one is in use
	used   int      // of the last one
}

const firstChunk = 4 << 10

// alloc returns n bytes, nil without memory.
func (a *arena) alloc(n int) []byte {
	last := len(a.chunks) - 1
	if last < 0 || n > len(a.chunks[last])-a.used {
		size := max(n, firstChunk)
		if last >= 0 {
			size = max(n, 2*len(a.chunks[last]))
		}
		c := libzmq.Memory(size)
		if c == nil && size > n {
			c = libzmq.Memory(n)
		}
		if c == nil {
			return nil
		}
		a.chunks = append(a.chunks, c)
		a.used = 0
		last++
	}
	p := a.chunks[last][a.used:][:n:n]
	a.used += n
	return p
}

// A mark is a state to return to.
type mark struct{ chunks, used int }

func (a *arena) mark() mark { return mark{len(a.chunks), a.used} }

// release takes back what was allocated since the mark.
func (a *arena) release(m mark) {
	for len(a.chunks) > m.chunks {
		last := len(a.chunks) - 1
		libzmq.FreeMemory(a.chunks[last])
		a.chunks = a.chunks[:last]
	}
	a.used = m.used
}

// reset takes back everything and keeps the largest chunk.
func (a *arena) reset() {
	a.used = 0
	if len(a.chunks) < 2 {
		return
	}
	best := 0
	for i := range a.chunks {
		if len(a.chunks[i]) > len(a.chunks[best]) {
			best = i
		}
	}
	a.chunks[0], a.chunks[best] = a.chunks[best], a.chunks[0]
	a.release(mark{chunks: 1})
}

func (a *arena) free() { a.release(mark{}) }
