package core

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A name that no socket waits for any more leaves nothing on the account.
func TestDisconnectForgetsUnboundName(t *testing.T) {
	t.Parallel()
	c := newContext(t)
	s := newTestSocket(t, c, libzmq.Push, 0)
	for range 3 {
		require.NoError(t, s.Connect("inproc://unbound"))
		require.NoError(t, s.Connect("inproc://unbound"))
		require.NoError(t, s.Disconnect("inproc://unbound"))
		require.Empty(t, c.inproc.unbound)
	}
	setInt(t, s, libzmq.OptLinger, 1)
	require.NoError(t, s.Connect("inproc://unbound"))
	require.NoError(t, s.Send(context.Background(), []byte("unsent"), true))
	require.NoError(t, s.Disconnect("inproc://unbound"))
	require.Nil(t, c.inproc.unbound["unbound"].of(s))
	require.Eventually(t, func() bool {
		c.inproc.mu.Lock()
		defer c.inproc.mu.Unlock()
		return len(c.inproc.unbound) == 0
	}, patience, time.Millisecond)
}
