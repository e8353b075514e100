package zmq_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A close in the middle of a message that is received part by part does not make what
// came of it look whole.
func TestRecvMoreAfterClose(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	a, b := newSocket(t, zctx, zmq.Pair), newSocket(t, zctx, zmq.Pair)
	connect(t, a, b, inprocName())
	require.NoError(t, a.SendMultipart(context.Background(), [][]byte{{1}, {2}, {3}}))
	_, err := b.RecvBytes(context.Background())
	require.NoError(t, err)
	require.NoError(t, b.Close())
	require.True(t, b.RecvMore())
	_, err = b.RecvBytes(context.Background())
	require.ErrorIs(t, err, zmq.ErrClosed)
}
