package pool_test

import (
	"context"
	"math"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

func TestPrewarmLimits(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Config{MaxSize: 65536, MaxIdleBytes: 1 << 20})
	for _, c := range []struct{ size, n int }{
		{-1, 1},
		{64, -1},
		{65537, 1},
		{1 << 62, 1},
		{65536, 17},
		{64, math.MaxInt},
		{1, 1<<14 + 1},
		{math.MinInt, math.MinInt},
	} {
		require.ErrorIs(t, p.Prewarm(c.size, c.n), syscall.EINVAL, "%+v", c)
		require.Equal(t, pool.Stats{}, p.Stats(), "%+v", c)
	}
	require.NoError(t, p.Prewarm(64, 0))
	require.NoError(t, p.Prewarm(65536, 16))
	require.Equal(t, int64(1<<20), p.Stats().IdleBytes)
	require.ErrorIs(t, p.Prewarm(64, 1), syscall.EINVAL, "the limit is for all sizes together")
	p.Trim()
	require.NoError(t, p.Prewarm(64, 1))
}

func TestTrim(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Config{})
	out := get(t, p, 5000)
	for _, size := range sizes {
		putAll(p, hold(t, p, size, 10))
	}
	require.Positive(t, p.Stats().IdleBytes)
	p.Trim()
	s := p.Stats()
	require.Zero(t, s.IdleBytes)
	require.Zero(t, s.IdleBuffers)
	require.Equal(t, int64(1), s.Outstanding)
	p.Put(out)
	require.Equal(t, int64(8192), p.Stats().IdleBytes)
	requireSound(t, p, 5000)
}

// Idle memory never exceeds MaxIdleBytes, however much was in use.
func TestMaxIdleBytes(t *testing.T) {
	t.Parallel()
	for _, limit := range []int64{1, 64, 64 << 10, 200_000, 3 << 20} {
		for _, size := range []int{64, 1500, 16384, 65536} {
			p := newPool(t, pool.Config{MaxIdleBytes: limit})
			check := func() {
				s := p.Stats()
				require.LessOrEqual(t, s.IdleBytes, limit, "limit %d size %d", limit, size)
			}
			for range 3 {
				var held []*zmq.Message
				for range 100 {
					held = append(held, get(t, p, size))
					check()
				}
				for _, m := range held {
					p.Put(m)
					check()
				}
			}
			requireSound(t, p, size)
			check()
		}
	}
}

// A negative MaxIdleBytes keeps everything.
func TestUnlimitedIdleBytes(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Config{MaxIdleBytes: -1})
	putAll(p, hold(t, p, 65536, 1100))
	require.GreaterOrEqual(t, p.Stats().IdleBytes, int64(1100*65536))
}

// After a burst, memory beyond MaxIdleBytes is freed even without another call of the
// pool.
func TestBurstIsFreedWithoutAnyCall(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	p := newPool(t, pool.Config{MaxIdleBytes: limit})
	a, b := pair(t, zmq.Push, zmq.Pull, inprocName())
	const n, size = 100, 65536
	for range n {
		m := get(t, p, size)
		send(t, a, p, m)
	}
	var m zmq.Message
	for range n {
		require.NoError(t, b.RecvMessage(context.Background(), &m))
	}
	require.NoError(t, m.Close())
	// Stats would collect the returned buffers, so look at all buffers.
	require.Eventually(t, func() bool { return pool.Live(p) <= limit }, patience, 10*time.Millisecond)
	s := p.Stats()
	require.Zero(t, s.Outstanding)
	require.LessOrEqual(t, s.IdleBytes, int64(limit))
	require.Positive(t, s.IdleBytes, "what is allowed to lie idle stays")
}

// The garbage collector frees the memory of a pool that is dropped without Close.
func TestDroppedPool(t *testing.T) {
	// Only the homes of this test are counted, so it does not run in parallel.
	idle := func() *pool.Homes {
		p := pool.New(pool.Config{})
		require.NoError(t, p.Prewarm(65536, 10))
		for _, size := range sizes {
			putAll(p, hold(t, p, size, 2))
		}
		return pool.HomesOf(p)
	}()
	require.Positive(t, idle.Live())
	require.Eventually(t, func() bool {
		runtime.GC()
		return idle.Live() == 0
	}, patience, time.Millisecond, "native memory of a pool that is gone")
}

// Any goroutine finds the idle buffers before the pool allocates.
func TestIdleBuffersAreShared(t *testing.T) {
	p := newPool(t, pool.Config{})
	const goroutines, each = 8, 50
	round := func() {
		var put, got sync.WaitGroup
		release := make(chan struct{})
		for range goroutines {
			got.Add(1)
			put.Go(func() {
				var mine []*zmq.Message
				for range each {
					m, err := p.Get(1500)
					if err != nil {
						t.Error(err)
						break
					}
					mine = append(mine, m)
				}
				got.Done()
				<-release
				putAll(p, mine)
			})
		}
		got.Wait()
		close(release)
		put.Wait()
	}
	for range 20 {
		round()
	}
	s := p.Stats()
	require.Zero(t, s.Outstanding)
	// No more were ever in use, and the pool allocates up to 64 at once.
	require.LessOrEqual(t, s.IdleBuffers, int64(goroutines*each+64), "%+v", s)
}
