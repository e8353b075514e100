//go:build unix

package poller_test

import (
	"context"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/poller"
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

// The handler is called for an error even if it was not requested.
func TestReactorDescriptorError(t *testing.T) {
	t.Parallel()
	r := newReactor(t)
	from, to := pipe(t)
	closeFD(t, to)
	require.NoError(t, r.HandleFD(uintptr(from), out, func(e poller.Event) error {
		require.Equal(t, poller.Err, e.Events)
		return errStop
	}))
	require.Equal(t, errStop, run(t, r))
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
