package zmq_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

func TestContextSocketsAreTheOpenOnes(t *testing.T) {
	t.Parallel()
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	require.Empty(t, zctx.Sockets())
	a, err := zctx.NewSocket(zmq.Push)
	require.NoError(t, err)
	b, err := zctx.NewSocket(zmq.Pull)
	require.NoError(t, err)
	require.ElementsMatch(t, []*zmq.Socket{a, b}, zctx.Sockets())
	require.NoError(t, a.Close())
	require.Equal(t, []*zmq.Socket{b}, zctx.Sockets())
	_, err = zctx.NewSocket(zmq.Pull, zmq.SendHWM.To(-1))
	require.Error(t, err)
	require.Equal(t, []*zmq.Socket{b}, zctx.Sockets(), "a socket that could not be set up is closed")
	require.NoError(t, zctx.Close())
	require.Empty(t, zctx.Sockets())
	require.Empty(t, (*zmq.Context)(nil).Sockets())
	runtime.KeepAlive(b)
}
