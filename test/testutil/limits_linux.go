package testutil

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// LeaveDescriptors takes all file descriptors but n, until give is called.
func LeaveDescriptors(t testing.TB, n int) (give func()) {
	t.Helper()
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 128, Max: before.Max}))
	var taken []int
	for {
		fd, err := syscall.Dup(int(os.Stderr.Fd()))
		if err != nil {
			require.ErrorIs(t, err, syscall.EMFILE)
			break
		}
		taken = append(taken, fd)
	}
	require.GreaterOrEqual(t, len(taken), n)
	for _, fd := range taken[len(taken)-n:] {
		_ = syscall.Close(fd)
	}
	taken = taken[:len(taken)-n]
	return func() {
		for _, fd := range taken {
			_ = syscall.Close(fd)
		}
		taken = nil
		_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)
	}
}

// StartThreads makes Go's runtime open the descriptors and start the threads that it keeps, so that
// it needs none while there are none left.
func StartThreads() {
	_ = os.Stderr.SetWriteDeadline(time.Time{})
	_, _, _ = syscall.Syscall(syscall.SYS_GETPID, 0, 0, 0)
	var all sync.WaitGroup
	all.Add(16)
	release := make(chan struct{})
	for range 16 {
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			all.Done()
			<-release
		}()
	}
	all.Wait()
	close(release)
}

// LeaveAddressSpace lets the process have so many bytes more than it has, until give is called.
func LeaveAddressSpace(t testing.TB, bytes uint64) (give func()) {
	t.Helper()
	statm, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	var pages uint64
	_, err = fmt.Sscan(string(statm), &pages)
	require.NoError(t, err)
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_AS, &before))
	most := pages*uint64(os.Getpagesize()) + bytes
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: before.Max}))
	return func() { _ = syscall.Setrlimit(syscall.RLIMIT_AS, &before) }
}
