//go:build unix

package libzmq

/*
#include "shim.h"
*/
import "C"

import (
	"syscall"
	"unsafe"
)

// PollItem is a file descriptor to poll: a zmq_pollitem_t without a socket.
type PollItem struct {
	_       uintptr
	FD      int32
	Events  int16 // requested events
	Revents int16 // events that occurred
}

// Events to poll a descriptor for.
const (
	PollIn  = 1
	PollOut = 2
	PollErr = 4
	PollPri = 8
)

// PollFDs polls file descriptors, at least one. If wait is set, it blocks the caller's
// thread until one is ready. It returns the number of ready descriptors, or -errno.
//
// Implements: zmq_poll
func PollFDs(items []PollItem, wait bool) int {
	timeout := C.long(0)
	if wait {
		timeout = -1
	}
	return int(C.gz_poll_fds((*C.gz_poll_item)(unsafe.Pointer(unsafe.SliceData(items))), C.int(len(items)), timeout))
}

// FD returns the descriptor that libzmq signals commands with, or -errno.
//
// Implements: zmq_getsockopt(ZMQ_FD)
func FD(s Socket) int { return GetInt(s, OptFD) }

// Errno converts an error number that libzmq has put into a message.
func Errno(n int) syscall.Errno { return syscall.Errno(n) }
