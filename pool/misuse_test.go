package pool_test

import (
	"context"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// Misuse is refused or ignored. Afterwards the pool still hands out each message once.
func TestMisuse(t *testing.T) {
	t.Parallel()
	const size = 65536
	for name, misuse := range map[string]func(t *testing.T, p *pool.Pool) (refused int){
		"nil": func(_ *testing.T, p *pool.Pool) int {
			p.Put(nil)
			return 0
		},
		"twice": func(t *testing.T, p *pool.Pool) int {
			m := get(t, p, size)
			p.Put(m)
			p.Put(m)
			p.Put(m)
			return 2
		},
		"the zero value": func(_ *testing.T, p *pool.Pool) int {
			p.Put(new(zmq.Message))
			return 1
		},
		"no pool's": func(t *testing.T, p *pool.Pool) int {
			m, err := zmq.NewMessage(size)
			require.NoError(t, err)
			p.Put(m)
			require.Empty(t, m.Bytes(), "its content is released")
			p.Put(m)
			require.NoError(t, m.Alloc(10), "it stays its owner's")
			require.NoError(t, m.Close())
			return 2
		},
		"zero-copy": func(t *testing.T, p *pool.Pool) int {
			released := make(chan struct{})
			m, err := zmq.NewMessageZeroCopy(make([]byte, size), func() { close(released) })
			require.NoError(t, err)
			p.Put(m)
			<-released
			return 1
		},
		"a clone": func(t *testing.T, p *pool.Pool) int {
			m := filled(t, p, size, 1)
			c, err := m.Clone()
			require.NoError(t, err)
			p.Put(c)
			requireContent(t, m, size, 1)
			require.Equal(t, int64(1), p.Stats().Outstanding)
			p.Put(m)
			return 1
		},
		"another pool's": func(t *testing.T, p *pool.Pool) int {
			other := newPool(t, pool.Config{})
			m := filled(t, other, size, 1)
			p.Put(m)
			requireContent(t, m, size, 1, "it is left alone")
			require.Equal(t, int64(1), other.Stats().Outstanding)
			other.Put(m)
			p.Put(m)
			require.Equal(t, pool.Stats{}.Refused, other.Stats().Refused)
			requireSound(t, other, size)
			return 2
		},
		"sent": func(t *testing.T, p *pool.Pool) int {
			a, b := pair(t, zmq.Push, zmq.Pull, inprocName())
			m := filled(t, p, size, 1)
			send(t, a, p, m)
			p.Put(m)
			require.Equal(t, pattern(size, 1), zmqtest.RecvBytes(t, b))
			require.NoError(t, b.Close())
			return 1
		},
		"use after Put": func(t *testing.T, p *pool.Pool) int {
			a, b := pair(t, zmq.Dealer, zmq.Dealer, inprocName())
			require.NoError(t, b.Send(context.Background(), []byte("for a")))
			for _, size := range []int{10, size, 2 << 20} {
				m := get(t, p, size)
				p.Put(m)
				_, cloned := m.Clone()
				_, property := m.Property("Socket-Type")
				for _, err := range []error{
					a.SendMessage(context.Background(), m), a.SendMessage(context.Background(), m, zmq.SendMore), a.SendMessage(t.Context(), m),
					a.RecvMessage(context.Background(), m), a.RecvMessage(t.Context(), m),
					m.Alloc(100), cloned, property,
				} {
					require.ErrorIs(t, err, syscall.EINVAL)
					require.ErrorContains(t, err, "returned to its pool with Put")
				}
				require.Empty(t, m.Bytes())
				require.Zero(t, m.Len())
				require.False(t, m.More())
				require.NoError(t, m.Close())
			}
			require.Zero(t, a.DiscardParts())
			got := zmqtest.RecvBytes(t, a)
			require.Equal(t, "for a", string(got), "what was refused took nothing")
			return 0
		},
		"after Close of another pool": func(t *testing.T, p *pool.Pool) int {
			other := pool.New(pool.Config{})
			m := get(t, other, size)
			require.NoError(t, other.Close())
			p.Put(m)
			other.Put(m)
			require.Zero(t, other.Stats().Outstanding)
			return 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, pool.Config{})
			refused := misuse(t, p)
			require.Equal(t, int64(refused), p.Stats().Refused)
			for _, size := range sizes {
				requireSound(t, p, size)
			}
		})
	}
}

// Of several goroutines that put the same Message, one succeeds.
func TestConcurrentPutOfOneMessage(t *testing.T) {
	t.Parallel()
	const goroutines, rounds = 8, 200
	p := newPool(t, pool.Config{})
	for round := range rounds {
		m := get(t, p, sizes[round%len(sizes)])
		together(goroutines, func(int) { p.Put(m) })
		requireSound(t, p, sizes[round%len(sizes)])
	}
	require.Equal(t, int64(rounds*(goroutines-1)), p.Stats().Refused)
}

// together runs f in n goroutines at the same time.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	wg.Wait()
}
