package libzmq

/*
#include "shim.h"
#include "system.h"

#cgo noescape gz_poll_fds
#cgo nocallback gz_poll_fds

gz_fd gz_waker_open(void);
void gz_waker_clear(gz_fd waker);
void gz_fd_close(gz_fd fd);
*/
import "C"

import "unsafe"

// Waker is a socket that wakes a thread that waits for it, and can be waited for together
// with other sockets.
type Waker int

// OpenWaker creates a Waker. The second result is 0 or -errno.
func OpenWaker() (Waker, int) {
	w := int(C.gz_waker_open())
	return Waker(w), min(w, 0)
}

// Wake makes the Waker readable until Clear. It does not block.
func (w Waker) Wake() { C.gz_wake(C.int64_t(w)) }

// Wait blocks the caller's thread until the Waker is readable, and clears it. It returns a
// negative number if that fails.
func (w Waker) Wait() int {
	rc := PollFDs([]PollItem{{FD: int(w), Events: PollIn}}, true)
	w.Clear()
	return rc
}

// Clear makes the Waker unreadable.
func (w Waker) Clear() { C.gz_waker_clear(C.gz_fd(w)) }

// Close frees the Waker, which no thread may use.
func (w Waker) Close() { CloseFD(int(w)) }

// CloseFD closes a descriptor that Dup returned.
func CloseFD(fd int) { C.gz_fd_close(C.gz_fd(fd)) }

// PollItem is a socket to poll: a WSAPOLLFD.
type PollItem struct {
	FD      int
	Events  int16 // requested events
	Revents int16 // events that occurred
}

// Events to poll a socket for. WSAPoll reports PollErr unasked, and refuses PollPri.
const (
	PollIn  = 0x0300 // POLLRDNORM and POLLRDBAND
	PollOut = 0x0010 // POLLWRNORM
	PollErr = 0x0007 // POLLERR, POLLHUP and POLLNVAL
	PollPri = 0x0400
)

// PollFDs polls sockets, at least one. If wait is set, it blocks the caller's thread until
// one is ready. It returns the number of ready sockets, or -errno.
func PollFDs(items []PollItem, wait bool) int {
	timeout := C.long(0)
	if wait {
		timeout = -1
	}
	return int(C.gz_poll_fds((*C.gz_poll_item)(unsafe.Pointer(unsafe.SliceData(items))), C.int(len(items)), timeout))
}

// FD returns the socket that libzmq signals commands with, or -errno.
//
// Implements: zmq_getsockopt(ZMQ_FD)
func FD(s Socket) int {
	var fd [8]byte
	if rc := GetOption(s, OptFD, fd[:]); rc < 0 {
		return rc
	}
	return *(*int)(unsafe.Pointer(&fd))
}
