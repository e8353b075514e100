package zmq_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

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
