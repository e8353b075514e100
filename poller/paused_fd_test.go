//go:build unix

package poller_test

import (
	"context"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/poller"
)

// A paused descriptor reports nothing, not even an error, and does not end a wait.
func TestPausedDescriptor(t *testing.T) {
	t.Parallel()
	p := newPoller(t)
	a, b := socketpair(t)
	require.NoError(t, p.AddFD(uintptr(a), 0))
	require.Equal(t, 1, p.Len())
	requirePaused(t, p, "added paused")
	writeFD(t, b, "x")
	requirePaused(t, p, "written")
	require.NoError(t, p.UpdateFD(uintptr(a), in))
	requireFD(t, p, a, in, "updated")
	require.NoError(t, p.UpdateFD(uintptr(a), 0))
	requirePaused(t, p, "paused again")
	closeFD(t, b)
	requirePaused(t, p, "the peer is gone")
	require.ErrorIs(t, p.AddFD(uintptr(a), in), syscall.EINVAL, "it is still there")
	requirePaused(t, p, "refused")
	require.NoError(t, p.UpdateFD(uintptr(a), in))
	requireFD(t, p, a, in|poller.Err, "updated again")
	require.NoError(t, p.RemoveFD(uintptr(a)))
	requirePaused(t, p, "removed")
	require.NoError(t, p.AddFD(uintptr(a), 0))
	requirePaused(t, p, "added anew")
	require.NoError(t, p.RemoveFD(uintptr(a)))
	require.Zero(t, p.Len())
}

// A bad descriptor is refused even if it is added paused. One that was closed since is
// reported by Update.
func TestPausedDescriptorClosed(t *testing.T) {
	t.Parallel()
	p := newPoller(t)
	a, b := socketpair(t)
	require.NoError(t, p.AddFD(uintptr(a), 0))
	closeFD(t, a)
	require.ErrorIs(t, p.UpdateFD(uintptr(a), in), syscall.EBADF)
	require.Zero(t, p.Len())

	require.NoError(t, p.AddFD(uintptr(b), 0))
	r, w := pipe(t)
	writeFD(t, w, "x")
	require.NoError(t, testutil.Dup2(r, b)) // closes b and gives its number to the pipe
	require.ErrorIs(t, p.UpdateFD(uintptr(b), in), syscall.EBADF)
	require.Zero(t, p.Len())
	require.NoError(t, p.AddFD(uintptr(b), in))
	requireFD(t, p, b, in, "the pipe was added")
}

// A handler that pauses a descriptor keeps its own handler from being called in the
// same round, also with an error.
func TestReactorPausesDescriptor(t *testing.T) {
	t.Parallel()
	r := newReactor(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	fds, calls := make([]int, 2), make([]int, 2)
	for i := range fds {
		a, b := socketpair(t)
		closeFD(t, b)
		fds[i] = a
		require.NoError(t, r.HandleFD(uintptr(a), in, func(e poller.Event) error {
			require.NotZero(t, e.Events&poller.Err)
			if calls[i]++; calls[i] == 3 {
				cancel()
			}
			return r.UpdateFD(uintptr(fds[1-i]), 0)
		}))
	}
	require.ErrorIs(t, r.Run(ctx), context.Canceled)
	require.Contains(t, [][]int{{3, 0}, {0, 3}}, calls)
}
