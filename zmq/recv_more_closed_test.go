package zmq_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A close in the middle of a message that is received part by part does not make what
// came of it look whole.
func TestRecvMoreAfterClose(t *testing.T) {
	t.Parallel()
	c := newContext(t)
	a, b := newSocket(t, c, zmq.Pair), newSocket(t, c, zmq.Pair)
	connect(t, a, b, inprocName())
	require.NoError(t, a.SendMultipart([][]byte{{1}, {2}, {3}}))
	_, err := b.RecvBytes()
	require.NoError(t, err)
	require.NoError(t, b.Close())
	require.True(t, b.RecvMore())
	_, err = b.RecvBytes()
	require.ErrorIs(t, err, zmq.ErrClosed)
}
