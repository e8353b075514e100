package core

import (
	"syscall"
	"unsafe"
)

// canSpin says that readable asks.
const canSpin = true

// yield is a raw system call on purpose: a crossing into C would let the runtime start
// another thread for the next goroutine meanwhile, and a thousand goroutines that begin
// to wait at once would leave a hundred threads behind.
func yield() { _, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }

// pollFD is struct pollfd.
type pollFD struct {
	fd      int32
	events  int16
	revents int16
}

const pollIn = 1

// readable reports whether there is something to read from a descriptor. As yield it
// is a raw system call: between two of these a crossing into C would let the runtime
// give the processor to another thread, which costs more than is gained.
func readable(fd int32) bool {
	p := pollFD{fd: fd, events: pollIn}
	var now syscall.Timespec
	n, _, _ := syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&now)), 0, 0, 0)
	return n == 1
}
