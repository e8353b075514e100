package libzmq

/*
#include "shim.h"

#cgo noescape gz_ctx_set_text
#cgo nocallback gz_ctx_set_text
#cgo noescape gz_peer_state
#cgo nocallback gz_peer_state
*/
import "C"

import "unsafe"

// CtxThreadNamePrefix is the context option that can also be a text.
const CtxThreadNamePrefix = 9

// SetContextText is zmq_ctx_set_ext, of the draft API. 0 or -errno, -ENOTSUP if the
// library does not have it.
func SetContextText(c Context, option int, text string) int {
	return int(C.gz_ctx_set_text(unsafe.Pointer(c), C.int(option),
		(*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.int64_t(len(text))))
}

// PeerState returns for which events the peer with a routing id is ready, or -errno,
// -ENOTSUP if the library does not have it: zmq_socket_get_peer_state, of the draft
// API. The caller holds the socket's mutex.
func PeerState(s Socket, id []byte) int {
	return int(C.gz_peer_state(unsafe.Pointer(s), bytesPointer(id), C.int64_t(len(id))))
}
