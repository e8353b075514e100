package zmq_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

func TestDgram(t *testing.T) {
	t.Parallel()
	if !hasDrafts(t, zmq.Dgram) {
		s := newSocket(t, newContext(t), zmq.Dealer)
		require.ErrorIs(t, s.SendDatagram(context.Background(), netip.AddrPort{}, nil), zmq.ErrNotSupported)
		_, _, err := s.RecvDatagram(context.Background(), nil)
		require.ErrorIs(t, err, zmq.ErrNotSupported)
		return
	}
	zctx, ctx, buf := newContext(t), within(t), make([]byte, 9000)
	server, client := newSocket(t, zctx, zmq.Dgram), newSocket(t, zctx, zmq.Dgram)
	to := udpAddress(t)
	require.NoError(t, server.Bind("udp://"+to.String()))
	require.Equal(t, "udp://"+to.String(), last(t, server))
	require.NoError(t, client.Bind("udp://127.0.0.1:*"))
	require.Equal(t, "udp://127.0.0.1:*", last(t, client), "over udp wildcards stay")

	// The socket is opened in the background. Earlier datagrams are lost.
	var from netip.AddrPort
	var n int
	var err error
	require.NoError(t, server.Set(zmq.RecvTimeout.To(10*time.Millisecond)))
	for n == 0 {
		require.NoError(t, ctx.Err())
		require.NoError(t, client.SendDatagram(ctx, to, []byte("request")))
		if n, from, err = server.RecvDatagram(context.Background(), buf); err != nil {
			require.ErrorIs(t, err, zmq.ErrAgain)
		}
	}
	require.Equal(t, "request", string(buf[:n]))
	require.NoError(t, server.SendDatagram(ctx, from, []byte("reply")))
	parts := noErr(client.RecvMultipart(ctx))(t)
	require.Len(t, parts, 2)
	require.Equal(t, to.String()+"\x00", string(parts[0]))
	require.Equal(t, "reply", string(parts[1]))

	// The two parts as they are, collected, native, and in a batch.
	require.NoError(t, client.Set(zmq.RecvTimeout.To(30*time.Second)))
	for _, send := range sendWays {
		require.NoError(t, send(server, []byte(from.String()), []byte("reply")))
		n, _, err := client.RecvDatagram(context.Background(), buf)
		require.NoError(t, err)
		require.Equal(t, "reply", string(buf[:n]))
	}
	// The longest, and one without bytes.
	for _, size := range []int{8192, 0} {
		require.NoError(t, server.SendDatagram(context.Background(), from, make([]byte, size)))
		n, _, err := client.RecvDatagram(context.Background(), buf)
		require.NoError(t, err)
		require.Equal(t, size, n)
	}
}
