package libzmq

/*
#include "shim.h"

#cgo noescape gz_forward
#cgo nocallback gz_forward
*/
import "C"

import "unsafe"

// Flow holds the parameters and the results of Forward. C has the same structure.
type Flow struct {
	Most       int32 // maximum number of messages to move
	How        int32 // flags of the destination
	HowCapture int32 // flags of the capture socket
	HowSource  int32 // flags of the source
	Longest    int32 // longer parts that begin with 0 or 1 are dropped; 0 drops none
	Have       int32 // parts of a message at the start of msgs, in and out
	Owed       int32 // parts of a copy that capture had no room for
	Events     int32 // events of the socket that was full
	RC         int32 // -errno of the call that failed

	// Forward adds to these counters of forwarded messages and of messages that could not
	// be delivered to any peer.
	Messages, Bytes       int64
	Dropped, DroppedBytes int64
	Parts                 int64 // parts of the forwarded messages
	Ended                 int64 // forwarded messages that Traffic.Ended counts
}

// Go and C must agree on the size of the structure.
var (
	_ [unsafe.Sizeof(Flow{}) - C.sizeof_gz_flow]struct{}
	_ [C.sizeof_gz_flow - unsafe.Sizeof(Flow{})]struct{}
)

// FlowEnd is the reason why Forward stopped.
type FlowEnd int

// Reasons why Forward stops. With FlowCaptureFull the message was forwarded. With
// FlowRoom the parts that were taken are in msgs.
const (
	FlowMost        FlowEnd = C.GZ_FLOW_MOST         // it moved Most messages
	FlowEmpty       FlowEnd = C.GZ_FLOW_EMPTY        // the source has no message
	FlowFull        FlowEnd = C.GZ_FLOW_FULL         // dst is full; msgs holds the message
	FlowCaptureFull FlowEnd = C.GZ_FLOW_CAPTURE_FULL // capture is full; owed holds the copy
	FlowRoom        FlowEnd = C.GZ_FLOW_ROOM         // msgs or owed is too short
	FlowSource      FlowEnd = C.GZ_FLOW_SRC          // the source failed
	FlowDestination FlowEnd = C.GZ_FLOW_DST          // the destination failed
	FlowCapture     FlowEnd = C.GZ_FLOW_CAPTURE      // the capture socket failed
)

// Forward moves whole messages from src to dst in one cgo call and without waiting.
// Unless capture is nil, it sends copies of them to capture. If f.Have is not 0, the
// first f.Have parts of msgs are a message that is sent first. A message that dst has no
// room for is left in msgs, and no part of it was sent.
//
// Implements: zmq_msg_recv, zmq_msg_send, zmq_msg_copy
func Forward(src, dst, capture Socket, msgs, owed []Msg, f *Flow) FlowEnd {
	return FlowEnd(C.gz_forward(src, dst, capture,
		msgPointer(msgs), C.int(len(msgs)), msgPointer(owed), C.int(len(owed)), (*C.gz_flow)(unsafe.Pointer(f))))
}
