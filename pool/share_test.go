package pool_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

// A size that fills the limit and is no longer used does not keep another size out of the
// pool.
func TestUnusedSizesMakeRoom(t *testing.T) {
	p := pool.New(pool.Config{MaxSize: 64 << 10, MaxIdleBytes: 1 << 20})
	defer p.Close()
	var large []*zmq.Message
	for range 32 {
		m, err := p.Get(64 << 10)
		require.NoError(t, err)
		large = append(large, m)
	}
	for _, m := range large {
		p.Put(m)
	}
	require.LessOrEqual(t, p.Stats().IdleBytes, int64(1<<20))
	before := p.Stats()
	const rounds, at = 1000, 32
	for range rounds {
		var some []*zmq.Message
		for range at {
			m, err := p.Get(1000)
			require.NoError(t, err)
			some = append(some, m)
		}
		for _, m := range some {
			p.Put(m)
		}
	}
	after := p.Stats()
	require.Less(t, after.Misses-before.Misses, int64(rounds), "nearly all of %d are hits", rounds*at)
	require.LessOrEqual(t, after.IdleBytes, int64(1<<20))
}

// Any goroutine finds the idle buffers before the pool allocates.
func TestIdleBuffersAreShared(t *testing.T) {
	p := pool.New(pool.Config{})
	defer p.Close()
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
				for _, m := range mine {
					p.Put(m)
				}
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
