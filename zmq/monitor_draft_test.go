package zmq_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// With libzmq's draft API, events name both ends of a connection, and the lengths of
// its queues can be asked for. Without it, that is refused.
func TestPipesStats(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	push, pull := newSocket(t, zctx, zmq.Push), newSocket(t, zctx, zmq.Pull)
	if !zmq.Has("draft") {
		_, err := push.Monitor(zmq.EventPipesStats)
		require.ErrorIs(t, err, zmq.ErrNotSupported)
		require.ErrorIs(t, monitor(t, push, zmq.EventAll).RequestPipesStats(), zmq.ErrNotSupported)
		return
	}
	plain := monitor(t, push, zmq.EventAll)
	require.ErrorIs(t, plain.RequestPipesStats(), syscall.EINVAL)
	m := monitor(t, push, zmq.EventAll|zmq.EventPipesStats)
	require.ErrorIs(t, m.RequestPipesStats(), zmq.ErrAgain)
	require.NoError(t, push.Bind("tcp://127.0.0.1:*"))
	require.NoError(t, pull.Connect(last(t, push)))
	e := until(t, m, zmq.EventHandshakeSucceeded)
	require.Equal(t, last(t, push), e.Endpoint)
	require.Equal(t, last(t, push), e.Local)
	require.NotEmpty(t, e.Remote)
	require.NotEqual(t, e.Local, e.Remote)
	require.NoError(t, push.WaitConnected(soon(t), 1))

	// A message counts until its reader has acknowledged it, which libzmq does after each
	// half of the high-water mark: here never.
	const messages = 100
	for range messages {
		require.NoError(t, push.SendString(context.Background(), "queued"))
	}
	require.NoError(t, m.RequestPipesStats())
	e = until(t, m, zmq.EventPipesStats)
	require.Equal(t, zmq.EventPipesStats, e.Event)
	require.Equal(t, [2]uint64{messages, 0}, [2]uint64{e.Outbound, e.Inbound})

	received := monitor(t, pull, zmq.EventPipesStats)
	for end := time.Now().Add(patience); e.Inbound != messages; {
		require.True(t, time.Now().Before(end), "the last event: %+v", e)
		require.NoError(t, received.RequestPipesStats())
		e = until(t, received, zmq.EventPipesStats)
		require.Zero(t, e.Outbound)
		require.LessOrEqual(t, e.Inbound, uint64(messages))
	}
}
