//go:build linux

package zmq_test

import (
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// There is no descriptor left for a peer's connection. It takes a process of its own.
func TestMonitorOfAcceptFailed(t *testing.T) {
	testDeaths(t, []death{{"accept fails", acceptFails, []wanted{fine}}})
}

func acceptFails(t *testing.T, report func(error)) {
	zctx := newContext(t)
	s := newSocket(t, zctx, zmq.Pull)
	m := monitor(t, s, zmq.EventAll)
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	until(t, m, zmq.EventListening)
	address := strings.TrimPrefix(last(t, s), "tcp://")
	warm(t)
	give := leaveDescriptors(t, 1)
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	e := until(t, m, zmq.EventAccepted|zmq.EventAcceptFailed)
	give()
	require.Equal(t, zmq.EventAcceptFailed, e.Event)
	// There are kernels that confuse the two.
	require.True(t, errors.Is(e.Err, syscall.EMFILE) || errors.Is(e.Err, syscall.ENFILE), "%v", e.Err)
	require.ErrorContains(t, e.Err, "accept")
	require.Equal(t, last(t, s), e.Endpoint)
	require.Equal(t, -1, e.FD)
	// The connection has waited.
	until(t, m, zmq.EventAccepted)
	report(conn.Close())
}
