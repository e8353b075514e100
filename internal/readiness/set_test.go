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

// A level is told each time, as long as it holds.
func TestLevels(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	require.Empty(t, s.ready(t))
	r, w := pipe(t)
	const big = 1<<63 | 1<<31 | 7 // keys have 64 bits
	require.NoError(t, s.Add(r, big, in))
	require.NoError(t, s.Add(w, 2, out))
	for range 3 {
		require.Equal(t, []readiness.Ready{{Key: 2, What: out}}, s.ready(t))
	}
	require.NoError(t, s.Change(w, 3, in))
	require.Empty(t, s.ready(t))
	write(t, w)
	for range 3 {
		require.Equal(t, []readiness.Ready{{Key: big, What: in}}, s.ready(t))
	}
	require.NoError(t, s.Change(r, 5, in|out))
	require.Equal(t, []readiness.Ready{{Key: 5, What: in}}, s.ready(t))
	read(t, r)
	require.Empty(t, s.ready(t))
	write(t, w)
	s.Remove(r)
	require.Empty(t, s.ready(t))
	require.NoError(t, s.Add(r, 6, in))
	require.Equal(t, []readiness.Ready{{Key: 6, What: in}}, s.ready(t))
}

// Ready appends, and has room for all.
func TestReadyAppends(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	buf := []readiness.Ready{{Key: 99}}
	const n = 100
	for i := range n {
		_, w := pipe(t)
		require.NoError(t, s.Add(w, uint64(i), out))
		var err error
		buf, err = s.Ready(buf[:1])
		require.NoError(t, err)
		require.Len(t, buf, i+2)
		require.EqualValues(t, 99, buf[0].Key)
	}
}

// After Arm, Ready reports earlier edges, and the next edge notifies once.
func TestArm(t *testing.T) {
	t.Parallel()
	for name, interest := range map[string]readiness.Interest{"level": in, "signal": signal} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSet(t)
			r, w := pipe(t)
			require.NoError(t, s.Add(r, 1, interest))
			s.settled(t)
			for range 100 {
				s.Arm()
				require.Empty(t, s.ready(t))
				write(t, w)
				s.await(t)
				ready := s.ready(t)
				require.Len(t, ready, 1)
				require.EqualValues(t, 1, ready[0].Key)
				read(t, r)
				_ = s.ready(t) // the edge of the read
				require.Empty(t, s.ready(t))
			}
		})
	}
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

// A descriptor that is added, changed or closed by its peer during a wait ends the wait.
func TestChangesDuringAWait(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(s *set, w int) error{
		"add":    func(s *set, w int) error { return s.Add(w, 1, out) },
		"change": func(s *set, w int) error { return s.Change(w, 1, out) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSet(t)
			for range 50 {
				_, w := pipe(t)
				if name == "change" {
					require.NoError(t, s.Add(w, 1, in))
				}
				s.settled(t)
				s.Arm()
				require.NoError(t, change(s, w))
				s.await(t)
				require.Equal(t, []readiness.Ready{{Key: 1, What: out}}, s.ready(t))
				s.Remove(w)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// A signal is reported while it is pending, or once, and so is the next one.
func TestSignals(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	r, w := pipe(t)
	require.NoError(t, s.Add(r, 1, signal))
	_ = s.ready(t)
	for range 10 {
		require.Empty(t, s.ready(t))
		write(t, w)
		require.Len(t, s.ready(t), 1)
		_ = s.ready(t)
		read(t, r)
		_ = s.ready(t)
	}
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

// Hang-ups are told whether they were asked for or not.
func TestHangUp(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	var fds [2]int
	require.NoError(t, syscall.Pipe(fds[:]))
	defer syscall.Close(fds[1])
	require.NoError(t, s.Add(fds[1], 1, readiness.Err))
	require.Empty(t, s.ready(t))
	require.NoError(t, syscall.Close(fds[0]))
	for range 3 {
		require.Equal(t, []readiness.Ready{{Key: 1, What: readiness.Err}}, s.ready(t))
	}
}

// A paused descriptor wakes nothing, also after a hang-up, until it is changed.
func TestPaused(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	var fds [2]int
	require.NoError(t, syscall.Pipe(fds[:]))
	defer syscall.Close(fds[0])
	require.NoError(t, s.Add(fds[0], 1, 0))
	require.ErrorIs(t, s.Add(fds[0], 1, in), syscall.EEXIST)
	write(t, fds[1])
	s.settled(t)
	require.NoError(t, s.Change(fds[0], 2, in))
	for range 3 {
		require.Equal(t, []readiness.Ready{{Key: 2, What: in}}, s.ready(t))
	}
	require.NoError(t, s.Change(fds[0], 2, 0))
	require.NoError(t, syscall.Close(fds[1]))
	s.settled(t)
	s.Arm()
	require.NoError(t, s.Change(fds[0], 3, in))
	s.await(t)
	require.Equal(t, []readiness.Ready{{Key: 3, What: in | readiness.Err}}, s.ready(t))
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

// All methods but Ready are for any goroutine.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	var group sync.WaitGroup
	var done atomic.Bool
	for i := range 8 {
		_, w := pipe(t)
		group.Go(func() {
			for range 500 {
				if err := s.Add(w, uint64(i), in); err != nil {
					t.Error(err)
				}
				if err := s.Change(w, uint64(i), out); err != nil {
					t.Error(err)
				}
				s.Remove(w)
			}
		})
	}
	var reader sync.WaitGroup
	reader.Go(func() {
		var buf []readiness.Ready
		for !done.Load() {
			var err error
			if buf, err = s.Ready(buf[:0]); err != nil {
				t.Error(err)
			}
			s.Arm()
			select {
			case <-s.notified:
			default:
			}
		}
	})
	group.Wait()
	done.Store(true)
	reader.Wait()
	require.Empty(t, s.ready(t))
}
