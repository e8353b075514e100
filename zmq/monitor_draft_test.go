package zmq_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// With libzmq's draft API, events name both ends of a connection, and the lengths of
// its queues can be asked for. Without it, that is refused.
func TestPipesStats(t *testing.T) {
	t.Parallel()
	c := newContext(t)
	push, pull := newSocket(t, c, zmq.Push), newSocket(t, c, zmq.Pull)
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
	for range 100 {
		require.NoError(t, push.SendString("queued"))
	}
	require.NoError(t, m.RequestPipesStats())
	e = until(t, m, zmq.EventPipesStats)
	require.LessOrEqual(t, e.Outbound, uint64(100))
	require.Zero(t, e.Inbound)
	require.Equal(t, zmq.EventPipesStats, e.Event)
}
