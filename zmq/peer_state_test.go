package zmq_test

import (
	"bytes"
	"context"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

func TestPeerWritable(t *testing.T) {
	t.Parallel()
	id := []byte("peer")
	router, dealer := pair(t, zmq.Router, zmq.Dealer, inprocName(),
		zmq.RoutingID.To(id), zmq.SendHWM.To(2), zmq.RecvHWM.To(2))
	require.NoError(t, dealer.SendString(context.Background(), "hello"))
	recvParts(t, router)
	writable, err := router.PeerWritable(id)
	if !zmq.Has("draft") {
		require.ErrorIs(t, err, zmq.ErrNotSupported)
		return
	}
	require.NoError(t, err)
	require.True(t, writable)
	full := 0
	for ; writable && full < 100; full++ {
		require.NoError(t, router.SendMultipart(context.Background(), [][]byte{id, []byte("x")}))
		writable, err = router.PeerWritable(id)
		require.NoError(t, err)
	}
	require.Equal(t, 4, full, "both marks count over inproc")
	for range full {
		recvBytes(t, dealer)
	}
	writable, err = router.PeerWritable(id)
	require.NoError(t, err)
	require.True(t, writable)

	_, err = router.PeerWritable([]byte("nobody"))
	require.ErrorIs(t, err, zmq.ErrHostUnreachable)
}

func TestPeerWritableRefuses(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	router := newSocket(t, zctx, zmq.Router)
	for _, bad := range [][]byte{nil, {}, bytes.Repeat([]byte("x"), 256)} {
		_, err := router.PeerWritable(bad)
		require.ErrorIs(t, err, syscall.EINVAL)
	}
	_, err := newSocket(t, zctx, zmq.Dealer).PeerWritable([]byte("peer"))
	require.ErrorIs(t, err, zmq.ErrNotSupported)
	require.NoError(t, router.Close())
	_, err = router.PeerWritable([]byte("peer"))
	require.ErrorIs(t, err, zmq.ErrClosed)
	_, err = (*zmq.Socket)(nil).PeerWritable([]byte("peer"))
	require.ErrorIs(t, err, zmq.ErrClosed)
}
