package core

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/intercept"
)

func TestMain(m *testing.M) { testutil.Main(m, intercept.CheckMessages) }

// option numbers used here
const (
	optSubscribe   = 6
	optUnsubscribe = 7
	optSendHWM     = 23
	optRecvHWM     = 24
)

func newContext(t testing.TB) *Context {
	t.Helper()
	c, err := NewContext()
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, c.Close(context.Background()))
		require.Zero(t, Rescues(), "the watchdog found a forgotten waiter")
	})
	return c
}

func newTestSocket(t testing.TB, c *Context, socketType, hwm int) *Socket {
	t.Helper()
	s, err := c.NewSocket(socketType, socketType == libzmq.XPub)
	require.NoError(t, err)
	setInt(t, s, optSendHWM, hwm)
	setInt(t, s, optRecvHWM, hwm)
	setInt(t, s, libzmq.OptLinger, 0)
	return s
}

func setInt(t testing.TB, s *Socket, option, value int) {
	t.Helper()
	var buf [4]byte
	binary.NativeEndian.PutUint32(buf[:], uint32(int32(value)))
	require.NoError(t, s.SetOption(option, buf[:]))
}

// connected returns two connected sockets.
func connected(t testing.TB, c *Context, endpoint string, bindType, connectType, hwm int) (b, d *Socket) {
	t.Helper()
	b, d = newTestSocket(t, c, bindType, hwm), newTestSocket(t, c, connectType, hwm)
	require.NoError(t, b.Bind(endpoint))
	require.NoError(t, d.Connect(b.Endpoint()))
	return b, d
}

// bothProtocols runs a test with each set of rules that the package comment
// describes: for Linux, and for systems where a theft of a signal is not seen.
func bothProtocols(t *testing.T, test func(t *testing.T)) {
	if !seesThefts {
		test(t)
		return
	}
	t.Run("protocol=edges", test)
	t.Run("protocol=portable", func(t *testing.T) {
		seesThefts = false
		t.Cleanup(func() { seesThefts = true }) // after the test's sockets are closed
		test(t)
	})
}

// peek returns what the lock of a socket guards, without the lock. It is for tests in which no
// other goroutine uses the socket.
func peek(s *Socket) *held {
	h := s.lock.Lock()
	s.lock.Unlock()
	return h
}
