package poller_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// requirePaused requires that a wait reports nothing.
func requirePaused(t testing.TB, p *poller.Poller, why string) {
	t.Helper()
	require.Empty(t, poll(t, p, 0), why)
	ctx, cancel := timeoutContext(20 * time.Millisecond)
	defer cancel()
	_, err := p.Wait(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded, why)
}

// A socket with an event mask of 0 is paused: it stays in the poller and reports
// nothing. After Update it reports what it is ready for, again and again.
func TestPausedSocket(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		pull, push := connected(t, zmq.Pull, zmq.Push, endpoint)
		p := newPoller(t)
		require.NoError(t, p.Add(pull, 0))
		require.NoError(t, p.Add(push, 0))
		require.Equal(t, 2, p.Len())
		for range 3 {
			require.NoError(t, push.SendString(context.Background(), "x"))
		}
		ctx, cancel := timeoutContext(patience)
		defer cancel()
		require.NoError(t, pull.WaitReadable(ctx))
		requirePaused(t, p, "added paused")

		require.NoError(t, p.Update(pull, in))
		requireNow(t, p, pull, in, "updated")
		require.NoError(t, p.Update(pull, 0))
		requirePaused(t, p, "paused again")
		for range 3 {
			here(t, recv(pull))
			requirePaused(t, p, "paused while messages are received")
		}

		require.NoError(t, p.Update(pull, in))
		requireNow(t, p, pull, 0, "all received")
		require.NoError(t, push.SendString(context.Background(), "x"))
		requireSoon(t, p, pull, in, "one more sent")
		require.NoError(t, p.Update(push, out))
		requireNow(t, p, push, out, "the other one updated")
	})
}

// Update of a paused socket that is ready ends a wait under way.
func TestUpdateOfPausedSocketEndsWait(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		pull, push := connected(t, zmq.Pull, zmq.Push, endpoint)
		p := newPoller(t)
		require.NoError(t, p.Add(pull, 0))
		require.NoError(t, push.SendString(context.Background(), "x"))
		ctx, cancel := timeoutContext(patience)
		defer cancel()
		require.NoError(t, pull.WaitReadable(ctx))
		for range 20 {
			done := waiting(t, p, forEver(p))
			require.NoError(t, p.Update(pull, in))
			result := await(t, done, "the paused socket's event")
			require.NoError(t, result.err)
			require.Equal(t, in, of(t, result.events, pull))
			require.NoError(t, p.Update(pull, 0))
		}
	})
}

// Closing a paused socket removes it like any other.
func TestPausedSocketClosed(t *testing.T) {
	t.Parallel()
	pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
	p := newPoller(t)
	require.NoError(t, p.Add(pull, 0))
	require.NoError(t, p.Add(push, out))
	require.NoError(t, push.SendString(context.Background(), "x"))
	require.NoError(t, pull.Close())
	require.Equal(t, 1, p.Len())
	require.ErrorIs(t, p.Update(pull, in), syscall.EINVAL)
	require.NoError(t, p.Update(push, 0))
	requirePaused(t, p, "one closed, one paused")
	require.NoError(t, push.Close())
	require.Zero(t, p.Len())
	requirePaused(t, p, "both closed")
}

// The handler of a paused socket is not called, also if an earlier handler of the same
// round paused it.
func TestReactorPausesSocket(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	r := newReactor(t)
	pulls, calls := make([]*zmq.Socket, 2), make([]int, 2)
	for i := range pulls {
		endpoint := inprocName()
		pulls[i] = newSocket(t, zctx, zmq.Pull)
		push := newSocket(t, zctx, zmq.Push)
		connect(t, pulls[i], push, endpoint)
		require.NoError(t, push.SendString(context.Background(), "x"))
		require.NoError(t, r.Handle(pulls[i], 0, func(poller.Event) error {
			calls[i]++
			return r.Update(pulls[1-i], 0)
		}))
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	rounds := 0
	_, err := r.Every(time.Millisecond, func() error {
		switch rounds++; rounds {
		case 5:
			require.Equal(t, []int{0, 0}, calls, "both are paused")
			require.NoError(t, r.Update(pulls[0], in))
			require.NoError(t, r.Update(pulls[1], in))
		case 10:
			cancel()
		}
		return nil
	})
	require.NoError(t, err)
	require.ErrorIs(t, r.Run(ctx), context.Canceled)
	require.NotZero(t, calls[0]+calls[1])
	require.Zero(t, calls[0]*calls[1], "the one that ran first paused the other")
}
