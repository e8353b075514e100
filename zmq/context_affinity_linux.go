package zmq

import (
	"syscall"
	"unsafe"
)

// cpuUsable reports whether the process may run on a CPU.
func cpuUsable(cpu int) (bool, error) {
	var set [maxCPU / 64]uint64
	// 0 is the calling thread. Its set is that of the process, because Go does not change
	// the set of a thread.
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
	if errno != 0 {
		return false, errno
	}
	return set[cpu/64]&(1<<(cpu%64)) != 0, nil
}
