//go:build unix

package zmq_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// The directory that libzmq made for the file of an ipc endpoint was removed by
// somebody else.
func TestMonitorOfCloseFailed(t *testing.T) {
	t.Parallel()
	s := newSocket(t, newContext(t), zmq.Pull)
	m := monitor(t, s, zmq.EventAll)
	require.NoError(t, s.Bind("ipc://*"))
	endpoint := last(t, s)
	require.NoError(t, os.RemoveAll(filepath.Dir(strings.TrimPrefix(endpoint, "ipc://"))))
	require.NoError(t, s.Unbind(endpoint))
	e := until(t, m, zmq.EventClosed|zmq.EventCloseFailed)
	require.Equal(t, zmq.EventCloseFailed, e.Event)
	require.Equal(t, endpoint, e.Endpoint)
	require.Equal(t, -1, e.FD)
	require.ErrorIs(t, e.Err, syscall.ENOENT)
}

// A listener whose file cannot be removed is closed nevertheless: the monitor of a closed
// socket waits for no other report, however long the socket's messages linger.
func TestMonitorEndsAfterCloseFailed(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pull := newSocket(t, zctx, zmq.Pull, zmq.RecvHWM.To(2))
	push := newSocket(t, zctx, zmq.Push, zmq.Linger.To(3*patience/2), zmq.SendHWM.To(2), zmq.SendTimeout.To(100*time.Millisecond))
	connect(t, pull, push, "tcp://127.0.0.1:*")
	sent := 0
	for part := make([]byte, 1<<20); push.Send(context.Background(), part) == nil; {
		sent++ // until the connection is full as well
	}
	m := monitor(t, push, zmq.EventCloseFailed|zmq.EventMonitorStopped)
	require.NoError(t, push.Bind("ipc://*"))
	require.NoError(t, os.RemoveAll(filepath.Dir(strings.TrimPrefix(last(t, push), "ipc://"))))
	require.NoError(t, push.Close())
	until(t, m, zmq.EventCloseFailed)
	until(t, m, zmq.EventMonitorStopped)
	for range sent {
		_, err := pull.RecvBytes(soon(t))
		require.NoError(t, err)
	}
}
