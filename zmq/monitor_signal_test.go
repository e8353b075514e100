//go:build unix

package zmq_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/zmq"
)

// libzmq loses its own first and last events when a signal interrupts the call that
// sends them. What it sends on its own threads arrives all the same, nothing hangs, and
// every monitor has an end.
func TestMonitorInSignalStorm(t *testing.T) {
	defer testutil.Interrupt(t, 20*time.Microsecond)()
	zctx := newContext(t)
	for range 300 {
		pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
		some := monitor(t, pull, zmq.EventHandshakeSucceeded|zmq.EventMonitorStopped)
		require.NoError(t, pull.Bind("tcp://127.0.0.1:*"))
		all := monitor(t, pull, zmq.EventAll) // libzmq is told anew
		require.NoError(t, push.Connect(last(t, pull)))
		require.NoError(t, pull.WaitConnected(soon(t), 1))
		require.NoError(t, pull.Close())
		require.NoError(t, push.Close())
		for _, m := range []*zmq.Monitor{some, all} {
			require.Equal(t, zmq.EventHandshakeSucceeded, until(t, m, zmq.EventHandshakeSucceeded).Event)
			until(t, m, zmq.EventMonitorStopped)
			_, err := m.Next(soon(t))
			require.ErrorIs(t, err, zmq.ErrClosed)
		}
	}
}
