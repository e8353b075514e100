//go:build unix

package zmq_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

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
