package pool_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// Short parts are copied when they are sent, so their memory returns at once. libzmq uses
// the memory of longer ones.
func TestCopyOrLend(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Config{})
	a, b := pair(t, zmq.Push, zmq.Pull, inprocName())
	var r zmq.Message
	for size, out := range map[int]int64{0: 0, 64: 0, pool.CopyBelow - 1: 0, pool.CopyBelow: 1, 65536: 1} {
		m := get(t, p, size)
		require.NoError(t, a.SendMessage(context.Background(), m))
		require.Equal(t, out, p.Stats().Outstanding, "size %d", size)
		require.NoError(t, b.RecvMessage(context.Background(), &r))
		require.Len(t, r.Bytes(), size)
		require.Equal(t, out, p.Stats().Outstanding, "the receiver holds it, size %d", size)
		require.NoError(t, r.Close())
		require.Zero(t, p.Stats().Outstanding, "size %d", size)
		p.Put(m)
	}
}

// The old content of the Message returns even if the receive fails.
func TestFailedReceiveReleases(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Config{})
	_, b := pair(t, zmq.Dealer, zmq.Dealer, inprocName())
	m := get(t, p, 65536)
	require.ErrorIs(t, b.RecvMessage(context.Background(), m, zmq.DontWait), zmq.ErrAgain)
	require.Empty(t, m.Bytes())
	require.Zero(t, p.Stats().Outstanding)
	p.Put(m)
}

// senders send pooled messages until ctx is done or the socket is closed.
func senders(t *testing.T, ctx context.Context, p *pool.Pool, s *zmq.Socket, size int) (wait func()) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := 0; ; n++ {
				m, err := p.Get(size)
				if errors.Is(err, zmq.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				limit, cancel := context.WithTimeout(ctx, time.Duration(1+(n+i)%5)*time.Millisecond)
				err = s.SendMessage(limit, m)
				cancel()
				p.Put(m)
				over := ctx.Err() != nil || errors.Is(err, zmq.ErrClosed) || errors.Is(err, zmq.ErrTerminated)
				if over {
					return
				}
				if err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
					return
				}
			}
		})
	}
	return wg.Wait
}

func TestContextClosedWithMessagesQueued(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*zmq.Context) error{
		"closed":          (*zmq.Context).Close,
		"shut down first": func(zctx *zmq.Context) error { return errors.Join(zctx.Shutdown(), zctx.Close()) },
		"bounded": func(zctx *zmq.Context) error {
			ctx := zmqtest.Timeout(t, patience)
			return zctx.CloseContext(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, endpoint := range []string{"tcp://127.0.0.1:1", inprocName()} {
				p := newPool(t, pool.Config{})
				zctx := newContext(t)
				s := newSocket(t, zctx, zmq.Dealer)
				require.NoError(t, s.Connect(endpoint)) // no peer is bound there
				for i := range 100 {
					m := filled(t, p, sizes[i%len(sizes)], 1)
					if i%5 == 4 {
						require.NoError(t, s.SendMessage(context.Background(), m))
					} else {
						require.NoError(t, s.SendMessage(context.Background(), m, zmq.SendMore))
					}
					p.Put(m)
				}
				require.NoError(t, s.SendMessage(context.Background(), get(t, p, 65536), zmq.SendMore))
				require.Positive(t, p.Stats().Outstanding)
				require.NoError(t, end(zctx))
				require.Zero(t, p.Stats().Outstanding, "all callbacks have run when the context is closed")
			}
		})
	}
}

// Memory that was received over inproc outlives its context.
func TestReceivedMemoryOutlivesContextAndPool(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Config{})
	zctx := newContext(t)
	a, b := newSocket(t, zctx, zmq.Push), newSocket(t, zctx, zmq.Pull)
	connect(t, b, a, inprocName())
	var held [10]zmq.Message
	for i := range held {
		require.NoError(t, a.SendMessage(context.Background(), filled(t, p, 65536, uint32(i))))
		require.NoError(t, b.RecvMessage(context.Background(), &held[i]))
	}
	require.NoError(t, zctx.Close())
	require.Equal(t, int64(len(held)), p.Stats().Outstanding)
	require.NoError(t, p.Close())
	require.Equal(t, int64(len(held)), p.Stats().Outstanding)
	for i := range held {
		requireContent(t, &held[i], 65536, uint32(i))
		require.NoError(t, held[i].Close())
		require.Equal(t, int64(len(held)-1-i), p.Stats().Outstanding)
	}
}
