//go:build unix

package zmq

import (
	"os"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func requireNotInherited(t *testing.T, fd int) {
	t.Helper()
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0)
	require.Zero(t, errno)
	require.NotZero(t, flags&syscall.FD_CLOEXEC)
}

// mostSockets returns how many sockets can wait: each takes two descriptors, libzmq's
// and our duplicate.
func mostSockets(t *testing.T) int {
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	return int(min(limit.Cur, 1<<20)-200) / 2
}

// threads returns the number of the process's threads.
func threads(t *testing.T) int {
	if runtime.GOOS != "linux" {
		t.Skip("counts threads through /proc")
	}
	tasks := noErr(os.ReadDir("/proc/self/task"))(t)
	return len(tasks)
}
