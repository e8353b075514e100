package pool_test

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/internal/testutil/intercept"
	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

func TestMain(m *testing.M) { testutil.Main(m, intercept.CheckMessages, zmqtest.OpenReleasePipe) }

// patience is how long a test waits for an event that must happen soon.
const patience = 30 * time.Second

// sizes are on both sides of the sizes at which the behavior changes.
var sizes = []int{0, 1, 29, 30, 63, 64, 65, 1500, 4096, pool.CopyBelow - 1, pool.CopyBelow, 65536, 100_000}

// newPool returns a pool that is closed after the test. All of its memory must have
// returned.
func newPool(t testing.TB, cfg pool.Config) *pool.Pool {
	t.Helper()
	p := pool.New(cfg)
	t.Cleanup(func() {
		requireReturned(t, p)
		require.NoError(t, p.Close())
		s := p.Stats()
		require.Zero(t, s.Outstanding)
		require.Zero(t, s.IdleBytes)
	})
	return p
}

// requireReturned waits until nothing is outstanding, and then accounts for every
// byte: the idle memory can be freed, and there is no other.
func requireReturned(t testing.TB, p *pool.Pool) {
	t.Helper()
	requireOutstanding(t, p, 0)
	p.Trim()
	s := p.Stats()
	require.Zero(t, s.Outstanding)
	require.Zero(t, s.OutstandingBytes)
	require.Zero(t, s.IdleBuffers)
	require.Zero(t, s.IdleBytes)
}

// requireOutstanding waits until n buffers are outstanding.
func requireOutstanding(t testing.TB, p *pool.Pool, n int64) {
	t.Helper()
	require.Eventually(t, func() bool { return p.Stats().Outstanding == n }, patience, time.Millisecond,
		"%d buffers outstanding are wanted, these are the counts: %+v", n, p.Stats())
}

// get calls Get, which must succeed.
func get(t require.TestingT, p *pool.Pool, size int) *zmq.Message {
	m, err := p.Get(size)
	require.NoError(t, err)
	require.Equal(t, size, m.Len())
	require.Len(t, m.Bytes(), size)
	return m
}

// filled is GetBytes with a pattern, which must succeed.
func filled(t require.TestingT, p *pool.Pool, size int, seed uint32) *zmq.Message {
	m, err := p.GetBytes(pattern(size, seed))
	require.NoError(t, err)
	require.Len(t, m.Bytes(), size)
	return m
}

// pattern returns content that differs by position and seed.
func pattern(size int, seed uint32) []byte {
	p := make([]byte, size+4)
	for i := 0; i < size; i += 4 {
		binary.LittleEndian.PutUint32(p[i:], seed*2654435761+uint32(i))
	}
	return p[:size]
}

// requireSound requires after misuse that the pool hands out no message twice.
func requireSound(t require.TestingT, p *pool.Pool, size int) {
	const n = 10
	var held [n]*zmq.Message
	seen, where := map[*zmq.Message]bool{}, map[*byte]bool{}
	for i := range held {
		held[i] = get(t, p, size)
		require.False(t, seen[held[i]], "a Message was handed out twice")
		seen[held[i]] = true
		if size > 0 {
			require.False(t, where[&held[i].Bytes()[0]], "memory was handed out twice")
			where[&held[i].Bytes()[0]] = true
			copy(held[i].Bytes(), pattern(size, uint32(i)))
		}
	}
	for i, m := range held {
		require.Equal(t, pattern(size, uint32(i)), append([]byte{}, m.Bytes()...))
		p.Put(m)
	}
}

// newContext returns a context that is closed with the test.
func newContext(t testing.TB) *zmq.Context {
	t.Helper()
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, zctx.Close()) })
	return zctx
}

// newSocket returns a socket that drops what it did not send when it is closed.
func newSocket(t require.TestingT, zctx *zmq.Context, typ zmq.SocketType, settings ...zmq.Setting) *zmq.Socket {
	s, err := zctx.NewSocket(typ, append([]zmq.Setting{zmq.Linger.To(0)}, settings...)...)
	require.NoError(t, err)
	return s
}

var names atomic.Int64

// inprocName returns an inproc endpoint that no other test uses.
func inprocName() string { return fmt.Sprintf("inproc://pool-%d", names.Add(1)) }

const tcp = "tcp://127.0.0.1:*"

func connect(t require.TestingT, b, d *zmq.Socket, endpoint string) {
	require.NoError(t, b.Bind(endpoint))
	actual, err := b.LastEndpoint()
	require.NoError(t, err)
	require.NoError(t, d.Connect(actual))
}

// pair returns two connected sockets: the first bound, the second connected.
func pair(t testing.TB, bindType, connectType zmq.SocketType, endpoint string, settings ...zmq.Setting) (b, d *zmq.Socket) {
	t.Helper()
	zctx := newContext(t)
	b, d = newSocket(t, zctx, bindType, settings...), newSocket(t, zctx, connectType, settings...)
	connect(t, b, d, endpoint)
	return b, d
}

// transports are the endpoints that a test of messages runs over.
func transports(t *testing.T, test func(t *testing.T, endpoint string)) {
	for name, endpoint := range map[string]string{"inproc": inprocName(), "tcp": tcp, "ipc": "ipc://*"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, endpoint)
		})
	}
}
