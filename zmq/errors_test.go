package zmq_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// What code that knows net.Error asks, a timeout answers; nothing else is one.
func TestNetError(t *testing.T) {
	t.Parallel()
	s := newSocket(t, newContext(t), zmq.Pull, zmq.RecvTimeout.To(time.Millisecond))
	_, timedOut := s.RecvBytes(context.Background())
	_, again := s.RecvBytes(context.Background(), zmq.DontWait)
	brief, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	require.NoError(t, s.Set(zmq.RecvTimeout.To(-1)))
	_, late := s.RecvBytes(brief)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, stopped := s.RecvBytes(cancelled)
	require.NoError(t, s.Close())
	_, closed := s.RecvBytes(context.Background())
	for err, timeout := range map[error]bool{timedOut: true, late: true, again: false, stopped: false, closed: false} {
		var e net.Error
		require.True(t, errors.As(err, &e))
		require.Equal(t, timeout, e.Timeout(), err)
	}
}

func TestVersionAndHas(t *testing.T) {
	t.Parallel()
	newContext(t) // loads libzmq
	major, minor, patch := zmq.Version()
	require.Equal(t, 4, major)
	require.GreaterOrEqual(t, minor*100+patch, 300)
	require.True(t, zmq.Has("ipc"))
	require.False(t, zmq.Has("no such thing"))
	require.False(t, zmq.Has("ip\x00c"))
	require.False(t, zmq.Has(""))
}
