//go:build unix

package poller_test

import (
	"context"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/zmq"
)

func TestReactorDescriptors(t *testing.T) {
	t.Parallel()
	r := newReactor(t)
	from, to := pipe(t)
	pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
	var got []string
	require.NoError(t, r.HandleFD(uintptr(from), in, func(e poller.Event) error {
		require.Equal(t, poller.Event{FD: uintptr(from), Events: in}, e)
		got = append(got, readFD(t, from))
		return push.SendString(context.Background(), "go on")
	}))
	require.NoError(t, r.Handle(pull, in, func(poller.Event) error {
		if len(got) == 3 {
			return errStop
		}
		writeFD(t, to, "x")
		return recv(pull)()
	}))
	writeFD(t, to, "x")
	require.Equal(t, errStop, run(t, r))
	require.Equal(t, []string{"x", "x", "x"}, got)
	require.NoError(t, r.RemoveFD(uintptr(from)))
	require.ErrorIs(t, r.RemoveFD(uintptr(from)), syscall.EINVAL)
}

// A handler replaces other descriptors by new ones with the same numbers. The new ones do
// not inherit the events of the old ones.
func TestReactorDescriptorReplaced(t *testing.T) {
	r := newReactor(t)
	var fds []int
	fresh, _ := pipe(t) // in which there is nothing to read
	called := 0
	for range 4 {
		from, to := pipe(t)
		writeFD(t, to, "x")
		fds = append(fds, from)
	}
	for _, fd := range fds {
		require.NoError(t, r.HandleFD(uintptr(fd), in, func(poller.Event) error {
			called++
			for _, fd := range fds {
				require.NoError(t, r.RemoveFD(uintptr(fd)))
				require.NoError(t, testutil.Dup2(fresh, fd)) // which closes it
				require.NoError(t, r.HandleFD(uintptr(fd), in, func(e poller.Event) error {
					t.Errorf("a descriptor that is not ready: %+v", e)
					return nil
				}))
			}
			later(t, r, 5)
			return nil
		}))
	}
	require.Equal(t, errStop, run(t, r))
	require.Equal(t, 1, called)
}

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
