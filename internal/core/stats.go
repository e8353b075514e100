package core

import "github.com/go-zmq/go-zmq/internal/libzmq"

// Stats holds the counters of a socket. They are guarded by the mutex that every
// operation already holds, so that counting is only an addition.
type Stats struct {
	Sent, Received Traffic
	Blocked, Waits [2]uint64 // by Direction: calls that got EAGAIN; calls that waited
	BlockedNoPeer  uint64    // of Blocked[Send], those without a connected peer
	WaitsNoPeer    uint64    // of Waits[Send], those without a connected peer
	Dropped        uint64    // messages dropped by FullCounted
	DroppedUnknown uint64    // of these, those to a routing ID that no peer has
	Held           int       // messages or parts that were read ahead
	Waiting        int       // goroutines that wait at this moment
	Peers          int
	Reconnects     uint64
}

// Traffic is the traffic in one direction.
type Traffic struct{ Messages, Parts, Bytes uint64 }

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
