package pool_test

import (
	"context"
	"math"
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

func TestMaxSize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ max, pooled, beyond int }{
		{0, 1 << 20, 1<<20 + 1}, // the default
		{-5, 1 << 20, 1<<20 + 1},
		{1, 64, 65},
		{64, 64, 65},
		{65, 128, 129},
		{1500, 2048, 2049},
		{1 << 21, 1 << 21, 1<<21 + 1},
	} {
		p := newPool(t, pool.Config{MaxSize: c.max})
		p.Put(get(t, p, c.pooled))
		require.Zero(t, p.Stats().Oversized, "MaxSize %d", c.max)
		p.Put(get(t, p, c.beyond))
		require.Equal(t, int64(1), p.Stats().Oversized, "MaxSize %d", c.max)
	}
	// Beyond a gigabyte nothing is pooled, whatever the Config says.
	huge := newPool(t, pool.Config{MaxSize: math.MaxInt})
	p, err := huge.Get(math.MaxInt)
	require.ErrorIs(t, err, syscall.ENOMEM)
	require.Nil(t, p)
}

func TestAbsurdSizes(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Config{})
	for size, want := range map[int]error{
		-1: syscall.EINVAL, math.MinInt: syscall.EINVAL,
		1 << 62: syscall.ENOMEM, 1 << 55: syscall.ENOMEM, math.MaxInt: syscall.ENOMEM, math.MaxInt - 64: syscall.ENOMEM,
	} {
		for range 3 {
			m, err := p.Get(size)
			require.Nil(t, m, "size %d", size)
			require.ErrorIs(t, err, want, "size %d", size)
			var e *zmq.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, "pool get", e.Op)
		}
	}
	require.Zero(t, p.Stats().Gets, "a Get that failed is not counted")
	requireSound(t, p, 1000)
}

func TestStatsCountHitsAndMisses(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Config{})
	require.Equal(t, pool.Stats{}, p.Stats(), "New allocates nothing")
	require.InDelta(t, 1, p.Stats().HitRate(), 0)
	m := get(t, p, 100_000)
	s := p.Stats()
	require.Equal(t, pool.Stats{Gets: 1, Misses: 1, Outstanding: 1, OutstandingBytes: 128 << 10}, s)
	require.Zero(t, s.HitRate())
	p.Put(m)
	s = p.Stats()
	require.Equal(t, pool.Stats{Gets: 1, Misses: 1, IdleBuffers: 1, IdleBytes: 128 << 10}, s)
	require.InDelta(t, 0.75, pool.Stats{Gets: 4, Hits: 3}.HitRate(), 0)
}

func TestGetAfterClose(t *testing.T) {
	t.Parallel()
	p := pool.New(pool.Config{})
	out := get(t, p, 1000)
	idle := get(t, p, 1000)
	p.Put(idle)
	require.NoError(t, p.Close())
	require.NoError(t, p.Close(), "a second Close does nothing")
	for _, size := range []int{0, 1000, 2 << 20} {
		m, err := p.Get(size)
		require.Nil(t, m)
		require.ErrorIs(t, err, zmq.ErrClosed)
		require.ErrorIs(t, err, net.ErrClosed)
	}
	_, err := p.GetBytes([]byte("late"))
	require.ErrorIs(t, err, zmq.ErrClosed)
	require.ErrorIs(t, p.Prewarm(64, 1), zmq.ErrClosed)
	_, err = p.Get(-1)
	require.ErrorIs(t, err, syscall.EINVAL)

	s := p.Stats()
	require.Equal(t, int64(1), s.Outstanding)
	require.Zero(t, s.IdleBytes)
	require.Len(t, out.Bytes(), 1000, "what is out stays good")
	copy(out.Bytes(), pattern(1000, 1))
	p.Put(out)
	s = p.Stats()
	require.Zero(t, s.Outstanding)
	require.Zero(t, s.IdleBytes)
	p.Trim()
	require.Zero(t, p.Stats().IdleBytes)
}

// Buffers that libzmq holds when the pool is closed are freed when they come back.
func TestCloseWithBuffersInFlight(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		const n, size = 20, 100_000
		p := newPool(t, pool.Config{})
		a, b := pair(t, zmq.Push, zmq.Pull, endpoint)
		for i := range n {
			require.NoError(t, a.SendMessage(context.Background(), filled(t, p, size, uint32(i))))
		}
		require.NoError(t, p.Close())
		for i := range n {
			var m zmq.Message
			require.NoError(t, b.RecvMessage(context.Background(), &m))
			requireContent(t, &m, size, uint32(i))
			require.NoError(t, m.Close())
		}
	})
}
