//go:build linux

package readiness_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/readiness"
)

func eventfd(t *testing.T) int {
	t.Helper()
	fd, _, errno := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	require.Zero(t, errno)
	t.Cleanup(func() { require.NoError(t, syscall.Close(int(fd))) })
	return int(fd)
}

// libzmq's signals on Linux: where SeesThefts is true, a signal that was used up before the look
// is reported like a pending one.
func TestStolenSignal(t *testing.T) {
	t.Parallel()
	for _, watched := range []bool{false, true} {
		s := newSet(t)
		fd := eventfd(t)
		require.NoError(t, s.Add(fd, 1, signal))
		if watched {
			s.settled(t)
		}
		_ = s.ready(t)
		for range 100 {
			if watched {
				s.Arm()
			}
			require.Empty(t, s.ready(t))
			write(t, fd)
			read(t, fd)
			if !readiness.SeesThefts {
				require.Empty(t, s.ready(t))
				continue
			}
			if watched {
				s.await(t)
			}
			ready := s.ready(t)
			require.Len(t, ready, 1)
			require.EqualValues(t, 1, ready[0].Key)
			require.Empty(t, s.ready(t), "once")
		}
	}
}
