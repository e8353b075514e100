package account_test

import (
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

var messages = flag.Int("messages", 200_000, "messages that TestAccount sends in all")

func TestMain(m *testing.M) { testutil.Main(m, zmqtest.OpenReleasePipe) }

// patience is how long a test waits for what must happen soon.
const patience = 2 * time.Minute

// newContext returns a context whose publishers track subscriptions.
func newContext(t testing.TB) *zmq.Context {
	t.Helper()
	return zmqtest.NewContext(t, zmq.SocketDefaults(zmq.TrackSubscriptions.To(true)))
}

var newSocket = zmqtest.NewSocket

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

// endpointOf returns an endpoint of a transport to bind to.
func endpointOf(transport string) string {
	switch transport {
	case "tcp":
		return "tcp://127.0.0.1:*"
	case "ipc":
		return "ipc://*"
	}
	return zmqtest.InprocName()
}

func bind(t testing.TB, s *zmq.Socket, endpoint string) string {
	t.Helper()
	require.NoError(t, s.Bind(endpoint))
	return zmqtest.LastEndpoint(t, s)
}
