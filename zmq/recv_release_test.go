package zmq_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

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
