package role

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
)

// A header starts the payload of each message of zbench send. In network byte order:
//
//	byte 0      bit 0: other receivers share this sender; bit 1: this is the end mark
//	bytes 1-7   the number of the message, from 0; of the end mark, their count
//	bytes 8-11  the sender: a random number, not 0
type header struct {
	shared, end bool
	number      uint64
	sender      uint32
}

const (
	sharedBit = 1
	endBit    = 2
	// numberBits is the size of the number in the first word.
	numberBits = 56
)

// newSender returns the header of a new sender.
func newSender(shared bool) header { return header{shared: shared, sender: rand.Uint32()>>1 + 1} }

// put writes the header; p has room for it.
func (h *header) put(p []byte) {
	first := h.number
	if h.shared {
		first |= sharedBit << numberBits
	}
	if h.end {
		first |= endBit << numberBits
	}
	binary.BigEndian.PutUint64(p, first)
	binary.BigEndian.PutUint32(p[8:], h.sender)
}

// read reads a header; ok is false for a payload without one. Text and zeros are always
// recognised, other bytes mostly.
func (h *header) read(p []byte) (ok bool) {
	if len(p) < plan.HeaderSize || p[0] > sharedBit|endBit {
		return false
	}
	h.shared, h.end = p[0]&sharedBit != 0, p[0]&endBit != 0
	h.number = binary.BigEndian.Uint64(p) & (1<<numberBits - 1)
	h.sender = binary.BigEndian.Uint32(p[8:])
	return h.sender != 0
}
