package zmq

import (
	"strconv"

	"github.com/go-zmq/go-zmq/internal/core"
)

// FullPolicy is the type of the option WhenFull.
type FullPolicy int

// The policies for a message that a PUB or XPUB sends while the queue of a matching
// subscriber is full, or a ROUTER while that of the peer is full or no peer has the routing
// ID. A queue is full when it holds SendHWM messages. Messages in the network and in the
// peer's own queue do not count.
const (
	// Drop drops the message for the peers whose queues are full, and sends it to the
	// other subscribers. Dropped messages are not counted, because libzmq does not report
	// them. A queue can still be treated as full for a millisecond after the peer has
	// emptied it. This is libzmq's default and go-zmq's.
	Drop = FullPolicy(core.FullDrop)
	// DropCounted drops the message for all subscribers if the queue of any of them is
	// full, or for the peer of the ROUTER, and counts it in Stats.Dropped and in
	// Stats.DroppedFull or Stats.DroppedUnknown. Sends never block, and a dropped message
	// is not an error.
	DropCounted = FullPolicy(core.FullCounted)
	// Block makes the send block until there is room for all subscribers, or for the peer,
	// ctx is done or SendTimeout has passed. With DontWait it behaves like Fail.
	Block = FullPolicy(core.FullBlock)
	// Fail makes the send return ErrAgain. Nobody gets the message.
	Fail = FullPolicy(core.FullFail)
)

// String returns the name of the policy, such as "DropCounted".
func (p FullPolicy) String() string {
	names := [...]string{Drop: "Drop", DropCounted: "DropCounted", Block: "Block", Fail: "Fail"}
	if p >= 0 && int(p) < len(names) {
		return names[p]
	}
	return "FullPolicy(" + strconv.Itoa(int(p)) + ")"
}
