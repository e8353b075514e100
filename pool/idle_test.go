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

func TestPrewarm(t *testing.T) {
	for _, size := range []int{0, 64, 1500, 65536} {
		const n = 200
		p := newPool(t, pool.Config{})
		require.NoError(t, p.Prewarm(size, n))
		s := p.Stats()
		require.Equal(t, int64(n), s.IdleBuffers)
		require.Zero(t, s.Misses)
		require.Zero(t, s.Outstanding)
		held := hold(t, p, size, n)
		require.Equal(t, int64(n), p.Stats().Outstanding)
		require.Zero(t, p.Stats().Misses, "size %d", size)
		putAll(p, held)
	}
}

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

// A pool with idle memory at its limit still works: a goroutine that gets and puts one
// message gets the idle memory.
func TestIdleAtTheLimitStillHits(t *testing.T) {
	p := newPool(t, pool.Config{MaxIdleBytes: 4 * 65536})
	putAll(p, hold(t, p, 65536, 4))
	before := p.Stats()
	require.Equal(t, int64(4), before.IdleBuffers)
	for range 100 {
		p.Put(get(t, p, 65536))
	}
	after := p.Stats()
	require.Equal(t, before.Misses, after.Misses)
	require.Equal(t, before.IdleBuffers, after.IdleBuffers, "each Put freed what it was given")
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

// The garbage collector frees no idle buffer of a pool that is in use.
func TestGarbageCollectionLosesNothing(t *testing.T) {
	p := newPool(t, pool.Config{})
	const n, size = 20, 40_000
	putAll(p, hold(t, p, size, n))
	before := p.Stats()
	for range 4 {
		runtime.GC()
	}
	p.Put(get(t, p, size))
	after := p.Stats()
	require.Equal(t, before.IdleBytes, after.IdleBytes)
	require.Equal(t, before.Misses, after.Misses)
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

func TestCloseWhileTheReaperWaits(t *testing.T) {
	t.Parallel()
	for range 20 {
		p := pool.New(pool.Config{MaxIdleBytes: 1})
		m := get(t, p, 1000) // starts the reaper
		require.NoError(t, p.Close())
		p.Put(m)
		require.Zero(t, p.Stats().Outstanding)
	}
}

// A size that fills the limit and is no longer used does not keep another size out of the
// pool.
func TestUnusedSizesMakeRoom(t *testing.T) {
	p := newPool(t, pool.Config{MaxSize: 64 << 10, MaxIdleBytes: 1 << 20})
	putAll(p, hold(t, p, 64<<10, 32))
	require.LessOrEqual(t, p.Stats().IdleBytes, int64(1<<20))
	before := p.Stats()
	const rounds, at = 1000, 32
	for range rounds {
		putAll(p, hold(t, p, 1000, at))
	}
	after := p.Stats()
	require.Less(t, after.Misses-before.Misses, int64(rounds), "nearly all of %d are hits", rounds*at)
	require.LessOrEqual(t, after.IdleBytes, int64(1<<20))
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
