package account

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
)

const (
	mark       = 0x5a4d4151 // begins every message
	headerSize = 24         // mark, producer, number, sum
	maxParts   = 8
	maxPart    = 64 << 10
)

// What a message can be, besides right.
var (
	ErrTorn    = errors.New("torn")    // parts are missing, too many, or of other sizes
	ErrCorrupt = errors.New("corrupt") // the bytes are not those that were sent
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	filling    = newFilling()
)

// newFilling returns the bytes from which parts are cut: the same in every process.
func newFilling() []byte {
	p := make([]byte, 2*maxPart)
	r := rand.NewPCG(7, 11)
	for i := 0; i < len(p); i += 8 {
		binary.LittleEndian.PutUint64(p[i:], r.Uint64())
	}
	return p
}

// mix spreads a producer and a number over 64 bits (the finalizer of splitmix64).
func mix(producer uint32, number uint64) uint64 {
	x := uint64(producer)<<40 ^ number + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// shape returns the sizes of a message's parts, of which the first does not count its
// header. Most messages are small and have one part; a few have many parts, none at all
// in some of them, or 64 KiB.
func shape(producer uint32, number uint64, sizes *[maxParts]int) []int {
	x := mix(producer, number)
	n := 1
	if x&3 == 0 {
		n += int(x >> 2 & 7)
	}
	for i := range n {
		x = mix(producer+1, x)
		switch kind := x & 255; {
		case kind < 32:
			sizes[i] = 0
		case kind < 240:
			sizes[i] = int(x >> 8 & 255)
		case kind < 255:
			sizes[i] = int(x >> 8 & 4095)
		case x>>8&7 == 0:
			sizes[i] = maxPart
		default:
			sizes[i] = int(x >> 16 % maxPart)
		}
		if i == 0 {
			// So that the first part, with its header, has no more than the others.
			sizes[i] = min(sizes[i], maxPart-headerSize)
		}
	}
	return sizes[:n]
}

// Producer makes messages, one after the other. It is for one goroutine at a time.
type Producer struct {
	ID   uint32
	Next uint64 // the number of the next message

	first [maxPart]byte
	parts [maxParts][]byte
	sizes [maxParts]int
}

// Make makes the next message. Its parts are valid until the next call, and must not
// be written.
func (p *Producer) Make() [][]byte {
	number := p.Next
	p.Next++
	sizes := shape(p.ID, number, &p.sizes)
	at := int(mix(p.ID, number) >> 32 % maxPart)
	first := p.first[:headerSize+sizes[0]]
	binary.LittleEndian.PutUint32(first[0:], mark)
	binary.LittleEndian.PutUint32(first[4:], p.ID)
	binary.LittleEndian.PutUint64(first[8:], number)
	copy(first[headerSize:], filling[at:])
	p.parts[0] = first
	for i := 1; i < len(sizes); i++ {
		p.parts[i] = filling[at : at+sizes[i]]
	}
	parts := p.parts[:len(sizes)]
	binary.LittleEndian.PutUint64(first[16:], sum(parts))
	return parts
}

// sum returns a checksum of all the bytes but those that hold it.
func sum(parts [][]byte) uint64 {
	crc := crc32.Update(0, castagnoli, parts[0][:16])
	crc = crc32.Update(crc, castagnoli, parts[0][headerSize:])
	for _, p := range parts[1:] {
		crc = crc32.Update(crc, castagnoli, p)
	}
	return uint64(crc) | uint64(len(parts))<<32
}

// Check examines a message and says who made it and which number it has.
func Check(parts [][]byte) (producer uint32, number uint64, err error) {
	if len(parts) == 0 || len(parts[0]) < headerSize || binary.LittleEndian.Uint32(parts[0]) != mark {
		return 0, 0, fmt.Errorf("%w: no header in the first of %d parts", ErrTorn, len(parts))
	}
	producer = binary.LittleEndian.Uint32(parts[0][4:])
	number = binary.LittleEndian.Uint64(parts[0][8:])
	var room [maxParts]int
	sizes := shape(producer, number, &room)
	if len(parts) != len(sizes) {
		return producer, number, fmt.Errorf("%w: message %d of %d has %d parts instead of %d", ErrTorn, number, producer, len(parts), len(sizes))
	}
	for i, p := range parts {
		want := sizes[i]
		if i == 0 {
			want += headerSize
		}
		if len(p) != want {
			return producer, number, fmt.Errorf("%w: part %d of message %d of %d has %d bytes instead of %d", ErrTorn, i, number, producer, len(p), want)
		}
	}
	if binary.LittleEndian.Uint64(parts[0][16:]) != sum(parts) {
		return producer, number, fmt.Errorf("%w: message %d of %d", ErrCorrupt, number, producer)
	}
	return producer, number, nil
}
