package libzmq

/*
#include "draft.h"

#cgo noescape gz_msg_set_routing_id
#cgo nocallback gz_msg_set_routing_id
#cgo noescape gz_msg_routing_id
#cgo nocallback gz_msg_routing_id
#cgo noescape gz_msg_set_group
#cgo nocallback gz_msg_set_group
#cgo noescape gz_msg_group
#cgo nocallback gz_msg_group
#cgo noescape gz_recv_from
#cgo nocallback gz_recv_from
#cgo noescape gz_recv_group
#cgo nocallback gz_recv_group
#cgo noescape gz_recv_ahead_from
#cgo nocallback gz_recv_ahead_from
#cgo noescape gz_send_to
#cgo nocallback gz_send_to
#cgo noescape gz_send_group
#cgo nocallback gz_send_group
#cgo noescape gz_ctx_set_text
#cgo nocallback gz_ctx_set_text
#cgo noescape gz_ctx_get_text
#cgo nocallback gz_ctx_get_text
*/
import "C"

import (
	"bytes"
	"unsafe"
)

// MaxGroup is the length of the longest group, in bytes. libzmq takes up to 255, but
// frees the memory of those above 14 once for each peer that a message goes to.
const MaxGroup = C.GZ_GROUP_MAX

// Join is zmq_join. The group must not contain a NUL byte. 0 or -errno.
func Join(s Socket, group string) int {
	return int(C.gz_join(s, cText(group)))
}

// Leave is zmq_leave.
func Leave(s Socket, group string) int {
	return int(C.gz_leave(s, cText(group)))
}

// ConnectPeer is zmq_connect_peer: the routing id of the new peer, or -errno.
func ConnectPeer(s Socket, endpoint string) int64 {
	return int64(C.gz_connect_peer(s, cText(endpoint)))
}

// CanDisconnectPeer reports whether libzmq has zmq_disconnect_peer, which is
// younger than 4.3.5.
func CanDisconnectPeer() bool { return C.gz_can_disconnect_peer() != 0 }

// DisconnectPeer is zmq_disconnect_peer. 0 or -errno.
func DisconnectPeer(s Socket, id uint32) int {
	return int(C.gz_disconnect_peer(s, C.uint32_t(id)))
}

// SendTo sends a message of one part to the peer with a routing id, in one crossing
// and without waiting. The rest is as Send. zmq_msg_set_routing_id, zmq_msg_send.
func SendTo(s Socket, id uint32, part []byte, flags int) (rc, events int) {
	return split(C.gz_send_to(s, C.uint32_t(id), bytesPointer(part), C.int64_t(len(part)), C.int(flags)))
}

// SendGroup sends a message of one part to a group. The rest is as SendTo.
// zmq_msg_set_group, zmq_msg_send.
func SendGroup(s Socket, group, part []byte, flags int) (rc, events int) {
	return split(C.gz_send_group(s, bytesPointer(group), C.int(len(group)),
		bytesPointer(part), C.int64_t(len(part)), C.int(flags)))
}

// RecvFrom receives a message of one part, as a SERVER or PEER does, without waiting,
// and tells the routing id of its sender in the same crossing. 1 or -errno, and the
// events as Recv. zmq_msg_recv, zmq_msg_routing_id.
func RecvFrom(s Socket, m *Msg, id *uint32, flags int) (rc, events int) {
	return split(C.gz_recv_from(s, m.c(), (*C.uint32_t)(id), C.int(flags)))
}

// GroupRead is the length of the longest group that a peer may send to.
const GroupRead = C.GZ_GROUP_READ

// RecvGroup is RecvFrom for a DISH: it copies the group into buf, and returns its
// length. zmq_msg_recv, zmq_msg_group.
func RecvGroup(s Socket, m *Msg, buf *[GroupRead]byte, flags int) (rc, events, n int) {
	var length C.int
	rc, events = split(C.gz_recv_group(s, m.c(), (*C.uint8_t)(&buf[0]), &length, C.int(flags)))
	return rc, events, int(length)
}

// RecvAheadFrom is RecvBatch for messages of one part, and notes in ids, which has as
// many entries as msgs, whom each came from. zmq_msg_recv, zmq_msg_routing_id.
func RecvAheadFrom(s Socket, msgs []Msg, old int, ids []uint32, most, flags int) (rc, events, messages int) {
	return splitBatch(C.gz_recv_ahead_from(s, msgPointer(msgs), C.int(len(msgs)), C.int(old),
		(*C.uint32_t)(unsafe.SliceData(ids)), C.int(most), C.int(flags)))
}

func textPointer(s string) *C.uint8_t { return (*C.uint8_t)(unsafe.StringData(s)) }

// SetRoutingID makes id the peer that m is for; not 0. libzmq knows m afterwards.
// zmq_msg_set_routing_id. 0 or -errno.
func (m *Msg) SetRoutingID(id uint32) int {
	return int(C.gz_msg_set_routing_id(m.c(), C.uint32_t(id)))
}

// RoutingID returns the routing id, 0 for none, or -errno: zmq_msg_routing_id.
func (m *Msg) RoutingID() int64 { return int64(C.gz_msg_routing_id(m.c())) }

// SetGroup makes group the one that m is for. libzmq knows m afterwards. The group must not contain a NUL byte. zmq_msg_set_group.
// 0 or -errno.
func (m *Msg) SetGroup(group string) int {
	return int(C.gz_msg_set_group(m.c(), textPointer(group), C.int(len(group))))
}

// Group returns the group, and 0 or -errno: zmq_msg_group.
func (m *Msg) Group() (string, int) {
	var buf [C.GZ_GROUP_READ]byte
	n := int(C.gz_msg_group(m.c(), (*C.uint8_t)(&buf[0])))
	if n < 0 {
		return "", n
	}
	return string(buf[:n]), 0
}

// GuardDish says whether datagrams to a UDP port of this process are for a DISH. The guard
// keeps those that libzmq would abort on from such a socket (guard_linux.c).
func GuardDish(port int, on bool) {
	set := C.int(0)
	if on {
		set = 1
	}
	C.gz_dish_port(C.int(port), set)
}

// SetContextText is zmq_ctx_set_ext for an option that is text. 0 or -errno.
func SetContextText(c Context, option int, value string) int {
	return int(C.gz_ctx_set_text(unsafe.Pointer(c), C.int(option), textPointer(value), C.int64_t(len(value))))
}

// GetContextText is zmq_ctx_get_ext for an option that is text of at most 16 bytes.
// The second result is 0 or -errno.
func GetContextText(c Context, option int) (string, int) {
	var buf [16]byte
	rc := int(C.gz_ctx_get_text(unsafe.Pointer(c), C.int(option), (*C.uint8_t)(&buf[0]), C.int64_t(len(buf))))
	text, _, _ := bytes.Cut(buf[:], []byte{0})
	return string(text), rc
}
