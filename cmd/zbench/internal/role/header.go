package role

import (
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
)

// A header is what the payload of a message of zbench send begins with, in network
// byte order:
//
//	byte 0       what it is: bit 0, others receive from this sender, too; bit 1, the end
//	bytes 1-7    the number of the message, from 0; of the end, how many there were
//	bytes 8-15   when it was due, in nanoseconds on the sender's clock
//	bytes 16-19  the sender: a number by chance, not 0
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
	// numberBits is how much of the first word is the number.
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

// read reads a header; ok is false for a payload that has none. Text and zeros are
// told from one, other bytes mostly.
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
