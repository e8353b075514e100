package zmq_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/internal/testutil/intercept"
	"github.com/go-zmq/go-zmq/zmq"
)

func TestMain(m *testing.M) { testutil.Main(m, intercept.CheckMessages, openReleasePipe) }

// openReleasePipe makes a zero-copy message: the first one opens a pipe that stays
// open for the life of the process.
func openReleasePipe() {
	m, err := zmq.NewMessageZeroCopy(make([]byte, 1), nil)
	if err != nil {
		panic(err)
	}
	_ = m.Close()
}

// newContext returns a context that is closed with the test, and then must not
// have needed its watchdog.
func newContext(t testing.TB, settings ...zmq.ContextSetting) *zmq.Context {
	t.Helper()
	zctx, err := zmq.NewContext(settings...)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, zctx.Close())
		require.Zero(t, core.Rescues(), "the watchdog found a forgotten waiter")
	})
	return zctx
}

// trackingContext is newContext for tests that wait for subscribers.
func trackingContext(t testing.TB) *zmq.Context {
	t.Helper()
	return newContext(t, zmq.SocketDefaults(zmq.TrackSubscriptions.To(true)))
}

// newSocket returns a socket that drops what it did not send when it is closed.
func newSocket(t testing.TB, zctx *zmq.Context, typ zmq.SocketType, settings ...zmq.Setting) *zmq.Socket {
	t.Helper()
	s, err := zctx.NewSocket(typ, append([]zmq.Setting{zmq.Linger.To(0)}, settings...)...)
	require.NoError(t, err)
	return s
}

var names atomic.Int64

// inprocName returns an inproc endpoint that no other test uses.
func inprocName() string { return fmt.Sprintf("inproc://test-%d", names.Add(1)) }

// pair returns two connected sockets: the first bound, the second connected. Each gets the
// settings that its type has.
func pair(t testing.TB, bindType, connectType zmq.SocketType, endpoint string, settings ...zmq.Setting) (b, d *zmq.Socket) {
	t.Helper()
	zctx := newContext(t, zmq.SocketDefaults(settings...)) // leaves out what a type does not have
	b, d = newSocket(t, zctx, bindType), newSocket(t, zctx, connectType)
	connect(t, b, d, endpoint)
	return b, d
}

// awaitParked waits until as many goroutines wait for the socket.
func awaitParked(t testing.TB, s *zmq.Socket, goroutines int) {
	t.Helper()
	require.Eventually(t, func() bool { return s.Stats().Waiting == goroutines }, 30*time.Second, time.Millisecond)
}

func connect(t testing.TB, b, d *zmq.Socket, endpoint string) {
	t.Helper()
	require.NoError(t, b.Bind(endpoint))
	actual, err := b.LastEndpoint()
	require.NoError(t, err)
	require.NoError(t, d.Connect(actual))
}

// transports are the endpoints that a test of messages runs over.
func transports(t *testing.T, test func(t *testing.T, endpoint string)) {
	for name, endpoint := range map[string]func() string{
		"inproc": inprocName,
		"tcp":    func() string { return "tcp://127.0.0.1:*" },
		"ipc":    func() string { return "ipc://*" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, endpoint())
		})
	}
}
