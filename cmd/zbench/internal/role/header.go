package role

import (
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
)

// A header starts the payload of each message of zbench send. In network byte order:
//
//	byte 0       bit 0: other receivers share this sender; bit 1: this is the end mark
//	bytes 1-7    the number of the message, from 0; of the end mark, their count
//	bytes 8-15   when it was due, in nanoseconds on the sender's clock
//	bytes 16-19  the sender: a random number, not 0
//	bytes 20-23  the sender's clock; 0: no other process has it
type header struct {
	shared, end bool
	number      uint64
	due         time.Duration
	sender      uint32
	clock       uint32
}

const (
	sharedBit = 1
	endBit    = 2
	// numberBits is the size of the number in the first word.
	numberBits = 56
)

// newSender returns the header of a new sender.
func newSender(shared bool) header {
	return header{shared: shared, sender: rand.Uint32()>>1 + 1, clock: clockID()}
}

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
	binary.BigEndian.PutUint64(p[8:], uint64(h.due))
	binary.BigEndian.PutUint32(p[16:], h.sender)
	binary.BigEndian.PutUint32(p[20:], h.clock)
}

// read reads a header; ok is false for a payload without one. Text and zeros are always
// recognised, other bytes mostly.
func (h *header) read(p []byte) (ok bool) {
	if len(p) < plan.HeaderSize || p[0] > sharedBit|endBit {
		return false
	}
	first := binary.BigEndian.Uint64(p)
	h.shared, h.end = p[0]&sharedBit != 0, p[0]&endBit != 0
	h.number = first & (1<<numberBits - 1)
	h.due = time.Duration(binary.BigEndian.Uint64(p[8:]))
	h.sender = binary.BigEndian.Uint32(p[16:])
	h.clock = binary.BigEndian.Uint32(p[20:])
	return h.sender != 0
}
