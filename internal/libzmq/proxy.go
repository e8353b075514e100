package libzmq

/*
#include "shim.h"

#cgo noescape gz_forward
#cgo nocallback gz_forward
*/
import "C"

import "unsafe"

// Flow is what Forward is told, and what it tells; C has the same structure.
type Flow struct {
	Most       int32 // messages to move at most
	How        int32 // of the destination
	HowCapture int32
	HowSource  int32
	Longest    int32 // parts that begin with 0 or 1 and are longer are dropped; 0: none
	Have       int32 // parts of a message at the front of msgs, before and after
	Owed       int32 // parts of a copy that capture had no room for
	Events     int32 // of the socket that was full
	RC         int32 // -errno of what failed

	// Messages that went on, and those that could not be delivered to anybody. They
	// are added to.
	Messages, Bytes       int64
	Dropped, DroppedBytes int64
	Parts                 int64 // of those that went on
	Ended                 int64 // of those that went on, as in Traffic
}

// The two descriptions of the structure, Go's and C's, agree.
var (
	_ [unsafe.Sizeof(Flow{}) - C.sizeof_gz_flow]struct{}
	_ [C.sizeof_gz_flow - unsafe.Sizeof(Flow{})]struct{}
)

// FlowEnd says why Forward came to an end.
type FlowEnd int

// What ends a Forward.
const (
	FlowMost        FlowEnd = C.GZ_FLOW_MOST         // it moved as many as it may
	FlowEmpty       FlowEnd = C.GZ_FLOW_EMPTY        // the source has nothing
	FlowFull        FlowEnd = C.GZ_FLOW_FULL         // the destination has no room: the message lies in msgs
	FlowCaptureFull FlowEnd = C.GZ_FLOW_CAPTURE_FULL // the message went on, its copy lies in owed
	FlowRoom        FlowEnd = C.GZ_FLOW_ROOM         // msgs or owed is too short; what was taken lies in msgs
	FlowSource      FlowEnd = C.GZ_FLOW_SRC          // a socket failed
	FlowDestination FlowEnd = C.GZ_FLOW_DST
	FlowCapture     FlowEnd = C.GZ_FLOW_CAPTURE
)

// Forward moves whole messages from src to dst in one crossing and without
// waiting, and sends copies of them to capture unless that is nil. A message of
// f.Have parts at the front of msgs goes first. What dst has no room for is left
// there again, and nothing of it was sent. zmq_msg_recv, zmq_msg_send,
// zmq_msg_copy.
func Forward(src, dst, capture Socket, msgs, owed []Msg, f *Flow) FlowEnd {
	return FlowEnd(C.gz_forward(src, dst, capture,
		msgPointer(msgs), C.int(len(msgs)), msgPointer(owed), C.int(len(owed)), (*C.gz_flow)(unsafe.Pointer(f))))
}
