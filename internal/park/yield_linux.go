package park

import "syscall"

// yield is a raw system call. A cgo call would let the runtime start another thread for the next
// goroutine, and a thousand goroutines that begin to wait at once would leave a hundred threads
// behind.
func yield() { _, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }
