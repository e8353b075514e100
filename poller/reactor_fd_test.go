//go:build unix

package poller_test

import (
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
)

// Descriptors that tests opened, to be closed after them. A descriptor that a test closes
// itself is not in it, because another test may get its number.
var opened struct {
	sync.Mutex
	by map[int]*byte
}

// opens closes the descriptors after the test, unless it closed them itself.
func opens(t testing.TB, fds ...int) {
	mark := new(byte)
	opened.Lock()
	defer opened.Unlock()
	if opened.by == nil {
		opened.by = map[int]*byte{}
	}
	for _, fd := range fds {
		opened.by[fd] = mark
		t.Cleanup(func() {
			opened.Lock()
			defer opened.Unlock()
			if opened.by[fd] == mark {
				delete(opened.by, fd)
				require.NoError(t, syscall.Close(fd))
			}
		})
	}
}

// closeFD closes one of them now.
func closeFD(t testing.TB, fd int) {
	t.Helper()
	opened.Lock()
	defer opened.Unlock()
	require.Contains(t, opened.by, fd)
	delete(opened.by, fd)
	require.NoError(t, syscall.Close(fd))
}

// pipe returns a pipe of plain descriptors, whose ends do not block.
func pipe(t testing.TB) (r, w int) {
	t.Helper()
	var fds [2]int
	require.NoError(t, syscall.Pipe(fds[:]))
	opens(t, fds[:]...)
	for _, fd := range fds {
		require.NoError(t, syscall.SetNonblock(fd, true))
	}
	return fds[0], fds[1]
}

func socketpair(t testing.TB) (a, b int) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	opens(t, fds[:]...)
	for _, fd := range fds {
		require.NoError(t, syscall.SetNonblock(fd, true))
	}
	return fds[0], fds[1]
}

// ownNumber counts the numbers that withOwnNumber gave away.
var ownNumber atomic.Int64

// withOwnNumber gives a descriptor a high number. No other descriptor gets it later, because
// the system always gives the lowest free one.
func withOwnNumber(t testing.TB, fd int) int {
	t.Helper()
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	own := int(min(limit.Cur, 1<<16) - 1 - uint64(ownNumber.Add(1)))
	require.NoError(t, testutil.Dup2(fd, own))
	opens(t, own)
	closeFD(t, fd)
	return own
}

func writeFD(t testing.TB, fd int, text string) {
	t.Helper()
	n, err := syscall.Write(fd, []byte(text))
	require.NoError(t, err)
	require.Equal(t, len(text), n)
}

// readFD reads the available data.
func readFD(t testing.TB, fd int) string {
	t.Helper()
	var buf [4096]byte
	n, err := syscall.Read(fd, buf[:])
	require.NoError(t, err)
	return string(buf[:n])
}
