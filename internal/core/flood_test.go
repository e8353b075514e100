package core

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A receive looks through no more than a portion of the subscriptions that are not for the
// user before it asks whether it may go on.
func TestReceiveGivesUpOnAFlood(t *testing.T) {
	t.Parallel()
	const flood = 100_000
	c := newContext(t)
	xpub, xsub := newTestSocket(t, c, libzmq.XPub, 0), newTestSocket(t, c, libzmq.XSub, 0)
	require.NoError(t, xpub.Bind("inproc://flood"))
	require.NoError(t, xsub.Connect("inproc://flood"))
	send := func() {
		for range flood {
			require.NoError(t, xsub.Send(t.Context(), []byte("\x01a"), true))
		}
	}
	send()
	got, err := xpub.RecvBytes(t.Context(), true)
	require.NoError(t, err)
	require.Equal(t, "\x01a", string(got))

	gaveUp := 0
	for {
		_, err := xpub.RecvBytes(t.Context(), true)
		require.ErrorIs(t, err, syscall.EAGAIN)
		xpub.mu.Lock()
		flooded := xpub.subs.flooded
		xpub.subs.flooded = false
		xpub.mu.Unlock()
		if !flooded {
			break
		}
		gaveUp++
	}
	require.Greater(t, gaveUp, flood/((mostRounds+1)*mostSubscriptions)/2)

	// Whoever may wait goes on until all were looked at, and then waits.
	send()
	require.NoError(t, xsub.Send(t.Context(), []byte("\x01b"), true))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	got, err = xpub.RecvBytes(ctx, false)
	require.NoError(t, err)
	require.Equal(t, "\x01b", string(got))

	// Or until it may not any more.
	send()
	ended, end := context.WithCancel(t.Context())
	end()
	xpub.mu.Lock()
	xpub.subs.flooded = true
	rc, err := xpub.outlast(ended, &request{kind: waitOnly, dir: Recv}, time.Time{})
	xpub.mu.Unlock()
	require.Zero(t, rc)
	require.ErrorIs(t, err, context.Canceled)
	xpub.mu.Lock()
	rc, err = xpub.outlast(t.Context(), &request{kind: waitOnly, dir: Recv}, time.Now().Add(-time.Second))
	xpub.mu.Unlock()
	require.Zero(t, rc)
	require.ErrorIs(t, err, ErrTimeout)
}
