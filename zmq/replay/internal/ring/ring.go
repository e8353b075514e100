// Package ring keeps the payloads of the last messages of a publisher.
package ring

// Ring keeps the payloads of the last messages in one piece of memory, which is used in a
// circle and grows up to the limits. It has no lock.
type Ring struct {
	MaxMessages int    // at most so many, and
	MaxBytes    int64  // at most so many bytes of payloads, except for the newest one
	Kept        int    // how many it keeps
	Messages    uint64 // how many were ever added

	ends       []int64 // positions behind the payloads; message n is at n modulo the length
	head, tail int64   // positions of all payloads
	data       []byte  // the byte at position n is at n modulo the length
}

// Add adds a payload and removes the oldest ones as far as the limits demand. The newest
// payload stays, whatever its size.
func (r *Ring) Add(payload []byte) {
	size := int64(len(payload))
	for r.Kept > 0 && (r.Kept == r.MaxMessages || r.tail-r.head+size > r.MaxBytes) {
		_, r.head = r.span(0)
		r.Kept--
	}
	if r.Kept == len(r.ends) {
		ends := make([]int64, min(max(2*r.Kept, 64), r.MaxMessages))
		for n := r.Messages - uint64(r.Kept); n < r.Messages; n++ {
			ends[n%uint64(len(ends))] = r.ends[n%uint64(len(r.ends))]
		}
		r.ends = ends
	}
	if need, have := r.tail-r.head+size, int64(len(r.data)); need > have {
		data := make([]byte, max(need, min(max(2*have, 64<<10), r.MaxBytes)))
		for at := r.head; at < r.tail; {
			at += int64(copy(data[at%int64(len(data)):], r.piece(at, r.tail)))
		}
		r.data = data
	}
	for rest := payload; len(rest) > 0; {
		n := copy(r.data[r.tail%int64(len(r.data)):], rest)
		rest = rest[n:]
		r.tail += int64(n)
	}
	r.ends[r.Messages%uint64(len(r.ends))] = r.tail
	r.Messages++
	r.Kept++
}

// span returns where the payload of kept message i stands, counted from the oldest.
func (r *Ring) span(i int) (begin, end int64) {
	n, begin := r.Messages-uint64(r.Kept)+uint64(i), r.head
	if i > 0 {
		begin = r.ends[(n-1)%uint64(len(r.ends))]
	}
	return begin, r.ends[n%uint64(len(r.ends))]
}

// piece returns the bytes from a position on, up to end or to the end of the memory.
func (r *Ring) piece(begin, end int64) []byte {
	at := begin % int64(len(r.data))
	return r.data[at:min(at+end-begin, int64(len(r.data)))]
}

// Payload appends the payload of kept message i to p.
func (r *Ring) Payload(p []byte, i int) []byte {
	for begin, end := r.span(i); begin < end; {
		piece := r.piece(begin, end)
		p = append(p, piece...)
		begin += int64(len(piece))
	}
	return p
}

// Bytes returns the number of bytes of all kept payloads.
func (r *Ring) Bytes() int64 { return r.tail - r.head }
