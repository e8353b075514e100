package libzmq

/*
#include "shim.h"

#cgo noescape gz_identify
#cgo nocallback gz_identify
#cgo noescape gz_bytes_received
#cgo nocallback gz_bytes_received
#cgo noescape gz_msg_origin
#cgo nocallback gz_msg_origin
*/
import "C"

import (
	"math"
	"net/netip"
	"strconv"
	"unsafe"
)

// Identity says who is at the other end of a connection.
type Identity struct {
	Inode   uint64         // of the descriptor; 0: unknown
	Address netip.AddrPort // invalid over ipc, or if it is unknown
	Process int            // over ipc; 0: unknown
}

// Identify returns the identity of a connection. The descriptor may be closed meanwhile, or be
// another one with the same number, so the caller has to make sure that it was not.
func Identify(fd int) (who Identity) {
	var c C.gz_identity
	C.gz_identify(C.int64_t(fd), &c)
	address := unsafe.Slice((*byte)(unsafe.Pointer(&c.address[0])), int(c.size))
	if ip, ok := netip.AddrFromSlice(address); ok {
		if c.zone != 0 {
			ip = ip.WithZone(strconv.Itoa(int(c.zone)))
		}
		who.Address = netip.AddrPortFrom(ip.Unmap(), uint16(c.port))
	}
	who.Inode, who.Process = uint64(c.inode), int(c.process)
	return who
}

// BytesReceived returns how many bytes the peer of a tcp connection has sent, or a very large
// number if the system does not say, or if the number is not that of a descriptor with the
// inode.
func BytesReceived(fd int, inode uint64) int64 {
	if n := int64(C.gz_bytes_received(C.int64_t(fd), C.uint64_t(inode))); n >= 0 {
		return n
	}
	return math.MaxInt64
}

// EndConnection ends a connection whose descriptor has the inode, as if the network did. It
// returns 0, -ESTALE if the descriptor is another by now, or -errno.
func EndConnection(fd int, inode uint64) int {
	return int(C.gz_end_connection(C.int64_t(fd), C.uint64_t(inode)))
}

// Origin returns the descriptor of the connection that a message came from, or -1. libzmq may
// have closed the descriptor since.
//
// Implements: zmq_msg_get
func (m *Msg) Origin() int { return int(C.gz_msg_origin(m.c())) }
