//go:build unix

package readiness_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/readiness"
	"github.com/go-zmq/go-zmq/test/testutil"
)

const (
	patience = 30 * time.Second
	in       = readiness.In
	out      = readiness.Out
	signal   = readiness.Signal
)

// A set with its count of notifications.
type set struct {
	*readiness.Set
	notified chan struct{}
}

func open(t testing.TB) *set {
	t.Helper()
	s := &set{notified: make(chan struct{}, 1000)}
	var err error
	s.Set, err = readiness.Open(func() { s.notified <- struct{}{} })
	require.NoError(t, err)
	return s
}

func newSet(t testing.TB) *set {
	t.Helper()
	s := open(t)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// settled arms the set until it does not notify at once, which the first Arm does.
func (s *set) settled(t testing.TB) {
	t.Helper()
	s.Arm()
	for {
		select {
		case <-s.notified:
			s.ready(t)
			s.Arm()
		case <-time.After(50 * time.Millisecond):
			require.Empty(t, s.ready(t))
			return
		}
	}
}

func (s *set) ready(t testing.TB) []readiness.Ready {
	t.Helper()
	ready, err := s.Ready(nil)
	require.NoError(t, err)
	slices.SortFunc(ready, func(a, b readiness.Ready) int { return int(a.Key) - int(b.Key) })
	return ready
}

func (s *set) await(t testing.TB) {
	t.Helper()
	select {
	case <-s.notified:
	case <-time.After(patience):
		require.FailNow(t, "no notification")
	}
}

func pipe(t testing.TB) (r, w int) {
	t.Helper()
	var fds [2]int
	require.NoError(t, syscall.Pipe(fds[:]))
	t.Cleanup(func() {
		require.NoError(t, syscall.Close(fds[0]))
		require.NoError(t, syscall.Close(fds[1]))
	})
	return fds[0], fds[1]
}

func write(t testing.TB, fd int) {
	t.Helper()
	_, err := syscall.Write(fd, []byte("12345678"))
	require.NoError(t, err)
}

func read(t testing.TB, fd int) {
	t.Helper()
	var buf [8]byte
	_, err := syscall.Read(fd, buf[:])
	require.NoError(t, err)
}

// Nothing that happens between an Arm and the next one is missed, at any speed.
func TestArmRaces(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	r, w := pipe(t)
	require.NoError(t, s.Add(r, 1, in))
	const n = 3000
	var group sync.WaitGroup
	got := make(chan struct{}, 1)
	group.Go(func() {
		for range n {
			if _, err := syscall.Write(w, []byte("12345678")); err != nil {
				t.Error(err)
			}
			<-got
		}
	})
	for range n {
		for {
			s.Arm()
			if len(s.ready(t)) > 0 {
				break
			}
			s.await(t)
		}
		read(t, r)
		got <- struct{}{}
	}
	group.Wait()
}

func TestErrors(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	r, _ := pipe(t)
	require.ErrorIs(t, s.Change(r, 1, in), syscall.ENOENT)
	require.NoError(t, s.Add(r, 1, in))
	require.ErrorIs(t, s.Add(r, 2, in), syscall.EEXIST)
	require.ErrorIs(t, s.Add(1_000_000, 2, in), syscall.EBADF)
	require.ErrorIs(t, s.Add(-1, 2, in), syscall.EBADF)
	dir, err := syscall.Open(t.TempDir(), syscall.O_RDONLY, 0)
	require.NoError(t, err)
	defer syscall.Close(dir)
	require.ErrorIs(t, s.Add(dir, 2, in), syscall.EPERM)
	s.Remove(r)
	require.ErrorIs(t, s.Change(r, 1, in), syscall.ENOENT)
	require.NoError(t, s.Add(r, 3, in))
}

// A number that stands for another descriptor by now is not watched, and a Change does
// not begin to.
func TestReusedNumber(t *testing.T) {
	t.Parallel()
	for _, interest := range []readiness.Interest{in, out, in | out, signal, readiness.Err, 0} {
		s := newSet(t)
		old, _ := pipe(t)
		fresh, w := pipe(t)
		require.NoError(t, s.Add(old, 1, interest))
		require.NoError(t, s.Change(old, 1, interest))
		require.NoError(t, testutil.Dup2(fresh, old)) // which closes it
		write(t, w)
		require.ErrorIs(t, s.Change(old, 2, in), syscall.ENOENT)
		require.Empty(t, s.ready(t))
		s.Remove(old)
		require.NoError(t, s.Add(old, 3, in))
		require.NotEmpty(t, s.ready(t))
	}
}

// Close waits for the notification under way, and ends those to come, whatever else
// happens then.
func TestClose(t *testing.T) {
	t.Parallel()
	r, w := pipe(t)
	write(t, w)
	for range 300 {
		var closed atomic.Bool
		s, err := readiness.Open(func() {
			if closed.Load() {
				t.Error("notified after Close")
			}
		})
		require.NoError(t, err)
		require.NoError(t, s.Add(r, 1, in))
		s.Arm()
		require.NoError(t, s.Close())
		closed.Store(true)
	}
	s := open(t)
	require.NoError(t, s.Close(), "without ever having waited")
}
