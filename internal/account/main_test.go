package account_test

import (
	"flag"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

var messages = flag.Int("messages", 200_000, "messages that TestAccount sends in all")

func TestMain(m *testing.M) { testutil.Main(m, zmqtest.OpenReleasePipe) }

// patience is how long a test waits for what must happen soon.
const patience = 2 * time.Minute

// newContext returns a context that is closed with the test, and then must not
// have needed its watchdog.
func newContext(t testing.TB) *zmq.Context {
	t.Helper()
	zctx, err := zmq.NewContext(zmq.SocketDefaults(zmq.TrackSubscriptions.To(true)))
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, zctx.Close())
		require.Zero(t, core.Rescues(), "the watchdog found a forgotten waiter")
	})
	return zctx
}

func newSocket(t testing.TB, zctx *zmq.Context, typ zmq.SocketType, settings ...zmq.Setting) *zmq.Socket {
	t.Helper()
	s, err := zctx.NewSocket(typ, append([]zmq.Setting{zmq.Linger.To(0)}, settings...)...)
	require.NoError(t, err)
	return s
}

// newPool returns a pool that is closed with the test, and by then has its buffers.
func newPool(t testing.TB) *pool.Pool {
	t.Helper()
	p := pool.New(pool.Config{})
	t.Cleanup(func() {
		require.NoError(t, p.Close())
		require.Eventually(t, func() bool { return p.Stats().Outstanding == 0 }, patience, time.Millisecond)
	})
	return p
}

var names atomic.Int64

// endpointOf returns an endpoint of a transport to bind to.
func endpointOf(transport string) string {
	switch transport {
	case "tcp":
		return "tcp://127.0.0.1:*"
	case "ipc":
		return "ipc://*"
	}
	return fmt.Sprintf("inproc://account-%d", names.Add(1))
}

func bind(t testing.TB, s *zmq.Socket, endpoint string) string {
	t.Helper()
	require.NoError(t, s.Bind(endpoint))
	actual, err := s.LastEndpoint()
	require.NoError(t, err)
	return actual
}
