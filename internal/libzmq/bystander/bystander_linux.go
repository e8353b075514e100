package bystander

/*
#cgo CFLAGS: -O2 -Wall
#cgo LDFLAGS: -lpthread
#include "bystander_linux.h"
*/
import "C"

import "syscall"

// NextSize returns the size of the datagram that a socket receives next, and leaves it
// there: recvfrom without a buffer.
func NextSize(fd int) (int, error) {
	n := C.by_next_size(C.int(fd))
	if n < 0 {
		return 0, syscall.Errno(-n)
	}
	return int(n), nil
}

// A Wait is a function of the C library's in which a thread waits.
type Wait int

const (
	RecvFrom Wait = iota
	Accept4
	EpollWait
)

// Cancel starts a thread that waits, cancels it, and reports whether it ended within
// some seconds: pthread_cancel.
func Cancel(in Wait) (ended bool, err error) {
	rc := C.by_cancel(C.int(in))
	if rc < 0 {
		return false, syscall.Errno(-rc)
	}
	return rc == 1, nil
}
