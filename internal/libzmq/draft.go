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
*/
import "C"

import (
	"bytes"
	"unsafe"
)

// MaxGroup is the length of the longest group in bytes. libzmq accepts up to 255 bytes,
// but frees the memory of a group above 14 bytes once per peer that receives the message.
const MaxGroup = C.GZ_GROUP_MAX

// Join makes a DISH socket join a group. The group must not contain a NUL byte. Join
// returns 0 or -errno.
//
// Implements: zmq_join
func Join(s Socket, group string) int {
	return int(C.gz_join(s, cText(group)))
}

// Leave makes a DISH socket leave a group. It returns 0 or -errno.
//
// Implements: zmq_leave
func Leave(s Socket, group string) int {
	return int(C.gz_leave(s, cText(group)))
}

// ConnectPeer connects s to an endpoint. It returns the routing id of the new peer, or
// -errno.
//
// Implements: zmq_connect_peer
func ConnectPeer(s Socket, endpoint string) int64 {
	return int64(C.gz_connect_peer(s, cText(endpoint)))
}

// CanDisconnectPeer reports whether libzmq has zmq_disconnect_peer, which was added after
// 4.3.5.
func CanDisconnectPeer() bool { return C.gz_can_disconnect_peer() != 0 }

// DisconnectPeer disconnects the peer with a routing id. It returns 0 or -errno.
//
// Implements: zmq_disconnect_peer
func DisconnectPeer(s Socket, id uint32) int {
	return int(C.gz_disconnect_peer(s, C.uint32_t(id)))
}

func textPointer(s string) *C.uint8_t { return (*C.uint8_t)(unsafe.StringData(s)) }

// SetRoutingID sets the routing id of the peer that m is addressed to. The id must not be
// 0. Afterwards m is a message that libzmq knows. SetRoutingID returns 0 or -errno.
//
// Implements: zmq_msg_set_routing_id
func (m *Msg) SetRoutingID(id uint32) int {
	return int(C.gz_msg_set_routing_id(m.c(), C.uint32_t(id)))
}

// RoutingID returns the routing id of m, 0 if it has none, or -errno.
//
// Implements: zmq_msg_routing_id
func (m *Msg) RoutingID() int64 { return int64(C.gz_msg_routing_id(m.c())) }

// SetGroup sets the group that m is addressed to. The group must not contain a NUL byte.
// Afterwards m is a message that libzmq knows. SetGroup returns 0 or -errno.
//
// Implements: zmq_msg_set_group
func (m *Msg) SetGroup(group string) int {
	return int(C.gz_msg_set_group(m.c(), textPointer(group), C.int(len(group))))
}

// Group returns the group of m. The second result is 0 or -errno.
//
// Implements: zmq_msg_group
func (m *Msg) Group() (string, int) {
	var buf [C.GZ_GROUP_READ]byte
	n := int(C.gz_msg_group(m.c(), (*C.uint8_t)(&buf[0])))
	if n < 0 {
		return "", n
	}
	return string(buf[:n]), 0
}

// GuardDish tells the guard whether a DISH socket of this process receives datagrams on a
// UDP port. The guard withholds from such a socket the datagrams that would make libzmq
// abort (guard_linux.c).
func GuardDish(port int, on bool) {
	C.gz_dish_port(C.int(port), C.bool(on))
}

// SetContextText sets a context option whose value is text. It returns 0 or -errno.
//
// Implements: zmq_ctx_set_ext
func SetContextText(c Context, option int, value string) int {
	return int(C.gz_ctx_set_text(unsafe.Pointer(c), C.int(option), textPointer(value), C.int64_t(len(value))))
}

// GetContextText returns the value of a context option whose value is text of at most 16
// bytes. The second result is 0 or -errno.
//
// Implements: zmq_ctx_get_ext
func GetContextText(c Context, option int) (string, int) {
	var buf [16]byte
	rc := int(C.gz_ctx_get_text(unsafe.Pointer(c), C.int(option), (*C.uint8_t)(&buf[0]), C.int64_t(len(buf))))
	text, _, _ := bytes.Cut(buf[:], []byte{0})
	return string(text), rc
}
