package core

import "github.com/go-zmq/go-zmq/internal/libzmq"

// Stats holds the counters of a socket. They are guarded by the mutex that every
// operation already holds, so that counting is only an addition.
type Stats struct {
	Sent, Received Traffic
	Blocked, Waits [2]uint64 // by Direction: calls that got EAGAIN; calls that waited
	Dropped        uint64    // messages dropped by FullCounted
	Held           int       // messages or parts that were read ahead
	Waiting        int       // goroutines that wait at this moment
	Peers          int
	Reconnects     uint64
}

// Traffic is the traffic in one direction.
type Traffic struct{ Messages, Parts, Bytes uint64 }

// Stats returns the counters.
func (s *Socket) Stats() Stats {
	s.drainSink()
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stats
	st.Peers, st.Reconnects = s.peers.Totals()
	st.Held, st.Waiting = s.in.Held(), s.waiting()
	return st
}

// count counts a request that succeeded. It does not count batches, which do that
// themselves.
func (s *Socket) count(r *request) {
	switch {
	case r.looks || r.batch != nil:
	case r.dir == Recv:
		s.stats.Received.part(r.msg)
	default:
		s.stats.Sent.add(r.size.parts, r.size.bytes)
		if r.size.parts == 2 && r.size.last == 0 {
			s.endedPeers(1)
		}
	}
}

// add counts a message.
func (t *Traffic) add(parts, bytes int) {
	t.Messages++
	t.Parts += uint64(parts)
	t.Bytes += uint64(bytes)
}

// part counts a part. With the last part it also counts the message.
func (t *Traffic) part(m *libzmq.Msg) {
	t.Parts++
	t.Bytes += uint64(m.Len())
	if !m.More() {
		t.Messages++
	}
}

func (t *Traffic) all(msgs []libzmq.Msg) {
	for i := range msgs {
		t.part(&msgs[i])
	}
}

// batch counts the messages that a batch sent.
func (t *Traffic) batch(messages int, sent libzmq.Traffic) {
	t.Messages += uint64(messages)
	t.Parts += uint64(sent.Parts)
	t.Bytes += uint64(sent.Bytes)
}

// takeBack reverses all.
func (t *Traffic) takeBack(msgs []libzmq.Msg) {
	var back Traffic
	back.all(msgs)
	t.Messages -= back.Messages
	t.Parts -= back.Parts
	t.Bytes -= back.Bytes
}

// size is the size of a message: the number of its parts, their bytes, and the bytes of
// the last part.
type size struct{ parts, bytes, last int }

func (z *size) add(bytes int) { *z = size{z.parts + 1, z.bytes + bytes, bytes} }

// measure notes the size of the message that a request sends. Native parts have to be
// measured before the send, which empties them. Batches count themselves.
func (r *request) measure() {
	z := &r.size
	for _, p := range r.parts {
		z.add(len(p))
	}
	if r.lens == nil {
		for i := range r.msgs {
			z.add(r.msgs[i].Len())
		}
	}
	for _, n := range r.lens {
		if n < 0 {
			n = int64(r.msgs[-1-n].Len())
		}
		z.add(int(n))
	}
}
