package pool_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/intercept"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
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

// hold gets n messages.
func hold(t require.TestingT, p *pool.Pool, size, n int) (held []*zmq.Message) {
	for range n {
		held = append(held, get(t, p, size))
	}
	return held
}

// putAll puts messages.
func putAll(p *pool.Pool, held []*zmq.Message) {
	for _, m := range held {
		p.Put(m)
	}
}

// requireContent requires the content of filled.
func requireContent(t require.TestingT, m *zmq.Message, size int, seed uint32, why ...any) {
	require.True(t, bytes.Equal(pattern(size, seed), m.Bytes()), why...)
}

// send sends and puts a message.
func send(t require.TestingT, s *zmq.Socket, p *pool.Pool, m *zmq.Message, flags ...zmq.Flag) {
	require.NoError(t, s.SendMessage(context.Background(), m, flags...))
	p.Put(m)
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
		requireContent(t, m, size, uint32(i))
		p.Put(m)
	}
}

const tcp = "tcp://127.0.0.1:*"

var (
	newContext = zmqtest.NewContext
	newSocket  = zmqtest.NewSocket
	inprocName = zmqtest.InprocName
	connect    = zmqtest.Connect
	pair       = zmqtest.Pair
	transports = zmqtest.Transports
)
