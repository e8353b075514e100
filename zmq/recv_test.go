package zmq_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A message whose parts are being received one by one does not look complete because
// the socket is closed: the receive of the next part says so. After that there is no
// more to ask for.
func TestRecvMoreAfterTheEnd(t *testing.T) {
	t.Parallel()
	receives := map[string]func(*zmq.Socket) error{
		"Recv":          func(s *zmq.Socket) error { _, err := s.Recv(context.Background(), nil); return err },
		"RecvBytes":     func(s *zmq.Socket) error { _, err := s.RecvBytes(context.Background(), zmq.DontWait); return err },
		"RecvString":    func(s *zmq.Socket) error { _, err := s.RecvString(t.Context()); return err },
		"RecvMessage":   func(s *zmq.Socket) error { return s.RecvMessage(context.Background(), new(zmq.Message)) },
		"RecvMultipart": func(s *zmq.Socket) error { _, err := s.RecvMultipart(context.Background()); return err },
		"RecvBatch": func(s *zmq.Socket) error {
			b := zmq.NewBatch(2)
			_, err := s.RecvBatch(context.Background(), b)
			return err
		},
	}
	ends := map[string]struct {
		end  func(*zmq.Context, *zmq.Socket) error
		want error
	}{
		"close":         {func(_ *zmq.Context, s *zmq.Socket) error { return s.Close() }, zmq.ErrClosed},
		"context close": {func(zctx *zmq.Context, _ *zmq.Socket) error { return zctx.Close() }, zmq.ErrClosed},
		"shutdown":      {func(zctx *zmq.Context, _ *zmq.Socket) error { return zctx.Shutdown() }, zmq.ErrTerminated},
	}
	for how, e := range ends {
		for name, receive := range receives {
			for _, ahead := range []int{0, 4} {
				zctx := newContext(t)
				pull, push := newSocket(t, zctx, zmq.Pull, zmq.ReadAhead.To(ahead)), newSocket(t, zctx, zmq.Push)
				connect(t, pull, push, inprocName())
				require.NoError(t, push.SendMultipart(context.Background(), [][]byte{{1}, {2}, {3}}))
				require.NoError(t, push.SendString(context.Background(), "whole"))
				require.Equal(t, []byte{1}, recvBytes(t, pull))
				require.True(t, pull.RecvMore())
				require.NoError(t, e.end(zctx, pull))
				require.True(t, pull.RecvMore(), "%s, %s", how, name)
				require.ErrorIs(t, receive(pull), e.want, "%s, %s", how, name)
				require.False(t, pull.RecvMore(), "%s, %s", how, name)
			}
		}
		// Between messages there is nothing more.
		zctx := newContext(t)
		pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
		connect(t, pull, push, inprocName())
		require.NoError(t, push.SendMultipart(context.Background(), [][]byte{{1}, {2}}))
		recvParts(t, pull)
		require.NoError(t, e.end(zctx, pull))
		require.False(t, pull.RecvMore())
	}
}

// A receive that fails releases what its target held, whatever it fails with: a loop
// that ends with the first error has nothing to close.
func TestFailedReceiveReleases(t *testing.T) {
	t.Parallel()
	check := func(is error, receive func(m *zmq.Message, p *zmq.Multipart) (one, all error)) {
		t.Helper()
		m, err := zmq.NewMessageBytes(payload(100))
		require.NoError(t, err)
		p := make(zmq.Multipart, 3)
		for i := range p {
			require.NoError(t, p[i].Alloc(50))
		}
		p = p[:1]
		one, all := receive(m, &p)
		require.ErrorIs(t, one, is)
		require.ErrorIs(t, all, is)
		require.Zero(t, m.Len())
		require.Empty(t, p)
		for i := range p[:cap(p)] {
			require.Zero(t, p[:cap(p)][i].Len())
		}
	}
	wait := func(s *zmq.Socket, flags ...zmq.Flag) func(m *zmq.Message, p *zmq.Multipart) (one, all error) {
		return func(m *zmq.Message, p *zmq.Multipart) (one, all error) {
			return s.RecvMessage(context.Background(), m, flags...), s.RecvMultipartMessage(context.Background(), p, flags...)
		}
	}
	zctx := newContext(t)
	for _, ahead := range []int{0, 10} {
		alive := newSocket(t, zctx, zmq.Pull, zmq.ReadAhead.To(ahead))
		check(zmq.ErrAgain, wait(alive, zmq.DontWait))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		check(context.Canceled, func(m *zmq.Message, p *zmq.Multipart) (one, all error) {
			return alive.RecvMessage(ctx, m), alive.RecvMultipartMessage(ctx, p)
		})
	}
	push := newSocket(t, zctx, zmq.Push)
	check(zmq.ErrNotSupported, wait(push))
	closed, terminated := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Pull)
	require.NoError(t, closed.Close())
	check(zmq.ErrClosed, wait(closed))
	require.NoError(t, zctx.Shutdown())
	check(zmq.ErrTerminated, wait(terminated))
}
