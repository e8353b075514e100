package core

import (
	"encoding/binary"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// packed holds messages as bytes in native memory, one after the other, in the format
// that the shim reads. Each part has a head of 8 bytes, followed by its content. The head
// is twice the length of the part, plus one if another part follows. This takes a third
// of the memory of an array of parts, and each byte is touched once.
type packed struct {
	memory []byte
	head   int // offset of the first message
	end    int
}

const (
	partHead    = 8
	firstPacked = 4 << 10
)

// append adds a message and reports whether there was memory for it.
func (p *packed) append(parts [][]byte) bool {
	n := 0
	for _, part := range parts {
		n += partHead + len(part)
	}
	if n > len(p.memory)-p.end && !p.grow(n) {
		return false
	}
	to := p.memory[p.end:]
	p.end += n
	for i, part := range parts {
		head := uint64(len(part)) << 1
		if i < len(parts)-1 {
			head |= 1
		}
		binary.NativeEndian.PutUint64(to, head)
		copy(to[partHead:], part)
		to = to[partHead+len(part):]
	}
	return true
}

// grow makes room for n more bytes. If most bytes have been sent, it moves the rest to
// the front. Without that, a batch that is never sent completely would grow without
// limit.
func (p *packed) grow(n int) bool {
	used := p.end - p.head
	if p.head > len(p.memory)/2 && used+n <= len(p.memory) {
		copy(p.memory, p.memory[p.head:p.end])
		p.head, p.end = 0, used
		return true
	}
	more := libzmq.Memory(max(2*len(p.memory), used+n, firstPacked))
	if more == nil {
		return false
	}
	copy(more, p.memory[p.head:p.end])
	p.free()
	p.memory, p.end = more, used
	return true
}

// next returns the part at an offset and the offset behind it.
func (p *packed) next(at int) (part []byte, more bool, behind int) {
	head := binary.NativeEndian.Uint64(p.memory[at:])
	behind = at + partHead + int(head>>1)
	return p.memory[at+partHead : behind : behind], head&1 != 0, behind
}

// skip drops the first n messages.
func (p *packed) skip(n int) {
	for ; n > 0; n-- {
		for more := true; more; {
			_, more, p.head = p.next(p.head)
		}
	}
}

// empty removes all messages and keeps the memory.
func (p *packed) empty() { p.head, p.end = 0, 0 }

func (p *packed) free() {
	if p.memory != nil {
		libzmq.FreeMemory(p.memory)
	}
	*p = packed{}
}
