package libzmq

/*
#include "shim.h"

#cgo noescape gz_peer_state
#cgo nocallback gz_peer_state
*/
import "C"

// PeerState returns the events that the peer with a routing id is ready for, or -errno.
// It returns -ENOTSUP if libzmq lacks this function of the draft API. The caller holds
// the socket's mutex.
//
// Implements: zmq_socket_get_peer_state
func PeerState(s Socket, id []byte) int {
	return int(C.gz_peer_state(s, bytesPointer(id), C.int64_t(len(id))))
}
