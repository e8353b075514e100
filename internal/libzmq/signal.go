package libzmq

/*
#include "shim.h"
*/
import "C"

import "unsafe"

// Signal is a notification for a thread-safe socket, which has no ZMQ_FD. Its descriptor
// becomes readable when the socket receives a command while it has none pending.
type Signal unsafe.Pointer

// OpenSignal creates the Signal of a socket. It must be closed before the socket. The
// second result is 0 or -errno, -ENOTSUP if libzmq lacks the draft API.
//
// Implements: zmq_poller_add
func OpenSignal(s Socket) (Signal, int) {
	var signal unsafe.Pointer
	rc := int(C.gz_signal_open(s, &signal))
	return Signal(signal), rc
}

// SignalFD returns the descriptor or -errno. The caller must not read or close it.
//
// Implements: zmq_poller_fd
func SignalFD(s Signal) int { return int(C.gz_signal_fd(unsafe.Pointer(s))) }

// ClearSignal makes the descriptor unreadable until the next command.
func ClearSignal(s Signal) { C.gz_signal_clear(unsafe.Pointer(s)) }

// CloseSignal frees a Signal.
//
// Implements: zmq_poller_destroy
func CloseSignal(s Signal) { C.gz_signal_close(unsafe.Pointer(s)) }
