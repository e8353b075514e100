package zmq_test

import (
	"context"
	"net/netip"
	"syscall"
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

func TestBadInputDatagram(t *testing.T) {
	t.Parallel()
	if !hasDrafts(t, zmq.Dgram) {
		return
	}
	zctx := newContext(t)
	s := newSocket(t, zctx, zmq.Dgram)
	to := udpAddress(t)
	for _, endpoint := range []string{
		"udp://[::1]:5555", "udp://127.0.0.1", "udp://127.0.0.1:99999", "udp://lo;127.0.0.1:5555", "udp://;239.0.0.1:5555",
		"udp://192.0.2.1:5555", "tcp://127.0.0.1:*", "ipc://*", inprocName(), "udp://no-such-interface:5555",
	} {
		err := s.Bind(endpoint)
		var e *zmq.Error
		require.ErrorAs(t, err, &e, endpoint)
		require.NotEmpty(t, e.Detail, endpoint)
	}
	require.Error(t, s.Connect("udp://127.0.0.1:5555"))
	require.ErrorIs(t, s.SendDatagram(context.Background(), to, []byte("x")), syscall.ENOTCONN, "before it is bound")
	require.NoError(t, s.Bind("udp://*:*"))
	for _, bad := range []netip.AddrPort{{}, netip.MustParseAddrPort("[::1]:5555"), netip.MustParseAddrPort("127.0.0.1:0")} {
		require.ErrorIs(t, s.SendDatagram(context.Background(), bad, nil), syscall.EINVAL)
	}
	for _, bad := range [][][]byte{{[]byte("x")}, {[]byte("x"), nil}, {nil, nil}, {[]byte("127.0.0.1:5555"), nil, nil}, {[]byte("localhost:5555"), nil}} {
		require.ErrorIs(t, s.SendMultipart(context.Background(), bad), syscall.EINVAL, "%q", bad)
	}
	require.ErrorIs(t, s.Send(context.Background(), []byte("127.0.0.1:5555")), syscall.EINVAL)
	require.ErrorIs(t, s.SendDatagram(context.Background(), to, make([]byte, 8193)), syscall.EMSGSIZE)
	require.NoError(t, s.SendString(context.Background(), to.String(), zmq.SendMore))
	require.NoError(t, s.SendString(context.Background(), "y", zmq.SendMore))
	require.ErrorIs(t, s.SendString(context.Background(), "z"), syscall.EINVAL)
	require.Equal(t, 2, s.DiscardParts())
	require.NoError(t, s.SendDatagram(context.Background(), to, []byte("still works")))
}
