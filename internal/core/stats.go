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
	s.links.mu.Lock()
	again := s.links.again
	s.links.mu.Unlock()
	peers, _, _ := s.links.look()
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stats
	st.Peers, st.Reconnects = peers, again
	st.Dropped, st.Held, st.Waiting = s.dropped, s.in.pending(), s.waiting()
	return st
}

// count counts a request that succeeded. It does not count batches, which do that
// themselves.
func (s *Socket) count(r *request) {
	if s.typ == libzmq.Stream && r.endsPeer() {
		s.endedPeer()
	}
	switch r.kind {
	case sendOne, sendTo, sendGroup:
		s.stats.Sent.add(1, len(r.part))
	case sendParts:
		bytes := 0
		for _, p := range r.parts {
			bytes += len(p)
		}
		s.stats.Sent.add(len(r.parts), bytes)
	case sendList, sendMsgs, sendPrefixed:
		s.stats.Sent.add(r.size.parts, r.size.bytes)
	case recvInto:
		s.stats.Received.part(r.msg)
	case recvAll:
		s.stats.Received.all(*r.dst)
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

// size is the size of a message. Native messages are measured before they are sent,
// because they are empty afterwards.
type size struct{ parts, bytes, last int } // last: the bytes of the last part

func sizeOf(msgs []libzmq.Msg) size {
	z := size{parts: len(msgs)}
	for i := range msgs {
		z.last = msgs[i].Len()
		z.bytes += z.last
	}
	return z
}

func (o *outgoing) size() size {
	z := size{parts: len(o.lens), bytes: len(o.flat) + sizeOf(o.msgs).bytes}
	if z.parts > 0 {
		if n := o.lens[z.parts-1]; n >= 0 {
			z.last = int(n)
		} else {
			z.last = o.msgs[-1-n].Len()
		}
	}
	return z
}

// endsPeer reports whether the request has sent an id and an empty part. With these, a
// STREAM closes a connection.
func (r *request) endsPeer() bool {
	switch r.kind {
	case sendParts:
		return len(r.parts) == 2 && len(r.parts[1]) == 0
	case sendList, sendMsgs, sendPrefixed:
		return r.size.parts == 2 && r.size.last == 0
	}
	return false
}
