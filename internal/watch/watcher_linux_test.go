package watch

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

type recorder struct {
	signals chan *Watcher
	outcome Outcome
}

func (r recorder) Signaled(w *Watcher, _ bool) Outcome {
	r.signals <- w
	return r.outcome
}

// eventfd returns a descriptor like libzmq's ZMQ_FD.
func eventfd(t *testing.T) int {
	t.Helper()
	require.NoError(t, libzmq.Load())
	fd, _, errno := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	require.Zero(t, errno)
	t.Cleanup(func() { require.NoError(t, syscall.Close(int(fd))) })
	return int(fd)
}

func signal(t *testing.T, fd int) {
	t.Helper()
	_, err := syscall.Write(fd, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	require.NoError(t, err)
}

func await(t *testing.T, r recorder, w *Watcher) {
	t.Helper()
	select {
	case got := <-r.signals:
		require.Same(t, w, got)
	case <-time.After(30 * time.Second):
		t.Fatal("the signal was not reported")
	}
}

// A signal is reported, and with edges also its reset by somebody else, which a Watcher would not
// see otherwise.
func TestWatcherReports(t *testing.T) {
	fd := eventfd(t)
	r := recorder{make(chan *Watcher, 100), Processed}
	w, err := New(fd, true, r)
	require.NoError(t, err)
	defer w.Close()
	require.NotEqual(t, fd, w.FD())
	await(t, r, w) // a new one reports once: something may have come before (K3)
	signal(t, fd)
	await(t, r, w)
	_, err = syscall.Read(fd, make([]byte, 8))
	require.NoError(t, err)
	await(t, r, w)
}

func TestWatcherEnds(t *testing.T) {
	fd := eventfd(t)
	r := recorder{make(chan *Watcher, 100), Over}
	w, err := New(fd, true, r)
	require.NoError(t, err)
	await(t, r, w)
	w.Close()
	_, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(w.FD()), syscall.F_GETFD, 0)
	require.Equal(t, syscall.EBADF, errno, "the duplicate is closed")
	signal(t, fd) // libzmq's own is open
}
