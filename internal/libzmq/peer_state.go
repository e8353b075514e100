package libzmq

/*
#include "shim.h"

#cgo noescape gz_peer_state
#cgo nocallback gz_peer_state
*/
import "C"

// PeerState returns for which events the peer with a routing id is ready, or -errno,
// -ENOTSUP if the library does not have it: zmq_socket_get_peer_state, of the draft
// API. The caller holds the socket's mutex.
func PeerState(s Socket, id []byte) int {
	return int(C.gz_peer_state(s, bytesPointer(id), C.int64_t(len(id))))
}
