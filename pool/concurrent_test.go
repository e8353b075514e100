package pool_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// Many goroutines share sockets and one pool. Others count, trim and prewarm its memory
// at the same time. Every message arrives unchanged, and every byte comes back.
func TestConcurrentSendersAndReceivers(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		const senders, receivers, each = 4, 4, 100
		p := newPool(t, pool.Config{MaxIdleBytes: 1 << 20})
		a, b := pair(t, zmq.Push, zmq.Pull, endpoint, zmq.SendHWM.To(50), zmq.RecvHWM.To(50))
		ctx := zmqtest.Timeout(t, patience)
		var sending, receiving sync.WaitGroup
		for i := range senders {
			sending.Go(func() {
				for n := range each {
					if err := sendSum(ctx, p, a, i*each+n); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		var received atomic.Int64
		for range receivers {
			receiving.Go(func() {
				for {
					m, err := p.Get(100)
					if err != nil {
						t.Error(err)
						return
					}
					err = b.RecvMessage(ctx, m)
					if errors.Is(err, zmq.ErrClosed) {
						p.Put(m)
						return
					}
					if err != nil || !sumIsRight(m.Bytes()) {
						t.Error("a message of", m.Len(), "bytes was changed", err)
						return
					}
					p.Put(m)
					if received.Add(1) == senders*each {
						if err := b.Close(); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		stop := meddle(p)
		sending.Wait()
		receiving.Wait()
		stop()
		require.Equal(t, int64(senders*each), received.Load())
		require.NoError(t, a.Close())
	})
}

// sendSum sends a message with its own checksum, sometimes in an unusual way.
func sendSum(ctx context.Context, p *pool.Pool, s *zmq.Socket, n int) error {
	m, err := p.Get(8 + sizes[n%len(sizes)])
	if err != nil {
		return err
	}
	defer p.Put(m)
	content := m.Bytes()
	binary.LittleEndian.PutUint64(content, uint64(n))
	copy(content[8:], pattern(len(content)-8, uint32(n)))
	switch n % 7 {
	case 0:
		unsent, err := p.GetBytes(content)
		if err != nil {
			return err
		}
		p.Put(unsent)
	case 1:
		c, err := m.Clone()
		if err != nil {
			return err
		}
		defer c.Close()
		return s.SendMessage(ctx, c)
	case 2:
		m2, err := p.GetBytes(content)
		if err != nil {
			return err
		}
		defer p.Put(m2)
		return s.SendMessage(ctx, m2)
	}
	return s.SendMessage(ctx, m)
}

func sumIsRight(content []byte) bool {
	n := binary.LittleEndian.Uint64(content)
	return bytes.Equal(content[8:], pattern(len(content)-8, uint32(n)))
}

// meddle calls all methods that work on a whole pool, until stop is called.
func meddle(p *pool.Pool) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	for i, f := range []func(){
		func() { p.Stats() },
		p.Trim,
		func() { _ = p.Prewarm(sizes[rand.IntN(len(sizes))], 3) },
		runtime.GC,
	} {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				f()
				for range 20 * (i + 1) {
					runtime.Gosched()
				}
			}
		})
	}
	return func() {
		close(done)
		wg.Wait()
	}
}

// The pool is closed while many goroutines use it.
func TestConcurrentClose(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{inprocName(), tcp} {
		for range 5 {
			p := pool.New(pool.Config{MaxIdleBytes: 300_000})
			zctx := newContext(t)
			a, b := newSocket(t, zctx, zmq.Push), newSocket(t, zctx, zmq.Pull)
			connect(t, b, a, endpoint)
			var wg sync.WaitGroup
			var sent atomic.Int64
			for i := range 4 {
				wg.Go(func() {
					for n := 0; ; n++ {
						err := sendSum(t.Context(), p, a, i+n)
						if errors.Is(err, zmq.ErrClosed) {
							return
						}
						if err != nil {
							t.Error(err)
							return
						}
						sent.Add(1)
					}
				})
			}
			wg.Go(func() {
				var m zmq.Message
				for b.RecvMessage(context.Background(), &m) == nil {
					if !sumIsRight(m.Bytes()) {
						t.Error("a message was changed")
					}
				}
				_ = m.Close()
			})
			stop := meddle(p)
			require.Eventually(t, func() bool { return sent.Load() > 50 }, patience, time.Millisecond)
			together(3, func(int) {
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			})
			_, err := p.Get(10)
			require.ErrorIs(t, err, zmq.ErrClosed)
			require.Zero(t, p.Stats().IdleBytes)
			require.NoError(t, b.Close())
			require.NoError(t, a.Close()) // unblocks the senders
			stop()
			wg.Wait()
			require.NoError(t, zctx.Close())
			require.Zero(t, p.Stats().Outstanding, "%+v", p.Stats())
			require.Zero(t, pool.Live(p))
		}
	}
}
