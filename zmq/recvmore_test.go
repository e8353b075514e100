package zmq_test

import (
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
		"Recv":          func(s *zmq.Socket) error { _, err := s.Recv(nil); return err },
		"RecvBytes":     func(s *zmq.Socket) error { _, err := s.RecvBytes(zmq.DontWait); return err },
		"RecvString":    func(s *zmq.Socket) error { _, err := s.RecvStringContext(t.Context()); return err },
		"RecvMessage":   func(s *zmq.Socket) error { return s.RecvMessage(new(zmq.Message)) },
		"RecvMultipart": func(s *zmq.Socket) error { _, err := s.RecvMultipart(); return err },
		"RecvBatch": func(s *zmq.Socket) error {
			b := zmq.NewBatch(2)
			_, err := s.RecvBatch(b)
			return err
		},
	}
	ends := map[string]struct {
		end  func(*zmq.Context, *zmq.Socket) error
		want error
	}{
		"close":         {func(_ *zmq.Context, s *zmq.Socket) error { return s.Close() }, zmq.ErrClosed},
		"context close": {func(c *zmq.Context, _ *zmq.Socket) error { return c.Close() }, zmq.ErrClosed},
		"shutdown":      {func(c *zmq.Context, _ *zmq.Socket) error { return c.Shutdown() }, zmq.ErrTerminated},
	}
	for how, e := range ends {
		for name, receive := range receives {
			for _, ahead := range []int{0, 4} {
				c := newContext(t)
				pull, push := newSocket(t, c, zmq.Pull, zmq.ReadAhead.To(ahead)), newSocket(t, c, zmq.Push)
				connect(t, pull, push, inprocName())
				require.NoError(t, push.SendMultipart([][]byte{{1}, {2}, {3}}))
				require.NoError(t, push.SendString("whole"))
				part, err := pull.RecvBytes()
				require.NoError(t, err)
				require.Equal(t, []byte{1}, part)
				require.True(t, pull.RecvMore())
				require.NoError(t, e.end(c, pull))
				require.True(t, pull.RecvMore(), "%s, %s", how, name)
				require.ErrorIs(t, receive(pull), e.want, "%s, %s", how, name)
				require.False(t, pull.RecvMore(), "%s, %s", how, name)
			}
		}
		// Between messages there is nothing more.
		c := newContext(t)
		pull, push := newSocket(t, c, zmq.Pull), newSocket(t, c, zmq.Push)
		connect(t, pull, push, inprocName())
		require.NoError(t, push.SendMultipart([][]byte{{1}, {2}}))
		_, err := pull.RecvMultipart()
		require.NoError(t, err)
		require.NoError(t, e.end(c, pull))
		require.False(t, pull.RecvMore())
	}
}
