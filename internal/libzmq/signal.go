package libzmq

/*
#include "shim.h"
*/
import "C"

import "unsafe"

// Signal has a descriptor that becomes readable when a thread-safe socket, which has
// no ZMQ_FD, is sent a command after it had none.
type Signal unsafe.Pointer

// OpenSignal makes a socket's Signal, to be closed before the socket is. -ENOTSUP
// where libzmq lacks the draft API. zmq_poller_add.
func OpenSignal(s Socket) (Signal, int) {
	var signal unsafe.Pointer
	rc := int(C.gz_signal_open(s, &signal))
	return Signal(signal), rc
}

// SignalFD returns the descriptor or -errno. It is not to be read or closed.
// zmq_poller_fd.
func SignalFD(s Signal) int { return int(C.gz_signal_fd(unsafe.Pointer(s))) }

// ClearSignal makes the descriptor not readable, until the next command.
func ClearSignal(s Signal) { C.gz_signal_clear(unsafe.Pointer(s)) }

// CloseSignal frees a Signal. zmq_poller_destroy.
func CloseSignal(s Signal) { C.gz_signal_close(unsafe.Pointer(s)) }
