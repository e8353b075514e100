package zmq

import (
	"strconv"

	"github.com/go-zmq/go-zmq/internal/core"
)

// FullPolicy is a value of the option WhenFull. It is a plain number.
type FullPolicy int

// What a PUB or XPUB does with a message when the queue of a subscriber that is to
// get it is full. A queue is full when SendHWM messages wait in it, besides what the
// network and the subscriber hold.
const (
	// Drop drops the message for the subscribers whose queues are full, and sends it
	// to the others. Nobody is told, and nothing can count it: libzmq does not say. A
	// queue may count as full for a millisecond after the subscriber has emptied it.
	// This is libzmq's own way, and the default.
	Drop = FullPolicy(core.FullDrop)
	// DropCounted drops the message for all subscribers when the queue of one is
	// full, and counts it: see Socket.Dropped. Sends never wait and report success.
	DropCounted = FullPolicy(core.FullCounted)
	// Block makes the send wait until there is room for all, at most SendTimeout or
	// as long as its context lasts. With DontWait it is as Fail.
	Block = FullPolicy(core.FullBlock)
	// Fail makes the send fail with ErrAgain; the message was sent to nobody.
	Fail = FullPolicy(core.FullFail)
)

// String returns the policy's name, such as "DropCounted".
func (p FullPolicy) String() string {
	switch p {
	case Drop:
		return "Drop"
	case DropCounted:
		return "DropCounted"
	case Block:
		return "Block"
	case Fail:
		return "Fail"
	}
	return "FullPolicy(" + strconv.Itoa(int(p)) + ")"
}

// Dropped returns the number of messages that the policy DropCounted dropped since
// the socket was made. Each of them went to no subscriber at all, and all others
// were queued for every subscriber that matched. It may be called by any goroutine,
// and does not block; it is 0 for other policies, whose drops libzmq does not tell.
func (s *Socket) Dropped() uint64 {
	if s == nil || s.core == nil {
		return 0
	}
	return s.core.Dropped()
}
