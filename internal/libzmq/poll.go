package libzmq

/*
#include "shim.h"

#cgo noescape gz_nap
#cgo nocallback gz_nap
*/
import "C"

import "unsafe"

// Nap waits on the thread of its caller, for so many milliseconds at most, until one of
// at most two descriptors is readable, or closed. It reports whether the time passed.
// poll(2).
func Nap(fds []int32, milliseconds int) bool {
	return C.gz_nap((*C.int)(unsafe.Pointer(unsafe.SliceData(fds))), C.int(len(fds)), C.int(milliseconds)) == 0
}

// PollItem is a file descriptor to poll: zmq_pollitem_t without a socket.
type PollItem struct {
	_       uintptr
	FD      int32
	Events  int16 // what is asked for
	Revents int16 // what is so
}

// What descriptors are polled for.
const (
	PollIn  = 1
	PollOut = 2
	PollErr = 4
	PollPri = 8
)

// PollFDs polls file descriptors, if wait until one is ready, on the thread of its
// caller; at least one must be there. It returns how many are ready, or -errno.
// zmq_poll.
func PollFDs(items []PollItem, wait bool) int {
	timeout := C.long(0)
	if wait {
		timeout = -1
	}
	return int(C.gz_poll_fds((*C.gz_poll_item)(unsafe.Pointer(unsafe.SliceData(items))), C.int(len(items)), timeout))
}
