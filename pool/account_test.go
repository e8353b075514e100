package pool_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

// A message that could not be sent is unchanged, and Put returns it.
func TestFailedSendKeepsTheMessage(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Config{})
	s := newSocket(t, newContext(t), zmq.Push)
	require.NoError(t, s.Bind(tcp)) // no peer connects
	for _, size := range sizes {
		for _, parts := range []int{1, 3} {
			for range parts - 1 {
				require.NoError(t, s.SendMessage(context.Background(), filled(t, p, size, 1), zmq.SendMore))
			}
			m := filled(t, p, size, 6)
			require.ErrorIs(t, s.SendMessage(context.Background(), m, zmq.DontWait), zmq.ErrAgain)
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			require.ErrorIs(t, s.SendMessage(ctx, m), context.DeadlineExceeded)
			require.ErrorIs(t, s.SendMessage(ctx, m), context.DeadlineExceeded, "before it begins")
			cancel()
			require.Equal(t, pattern(size, 6), append([]byte{}, m.Bytes()...))
			if parts == 1 || size >= pool.CopyBelow { // short parts of a longer message are copied before they are sent
				require.Equal(t, int64(parts), p.Stats().Outstanding)
			}
			p.Put(m)
			require.Equal(t, parts-1, s.DiscardParts())
			require.Zero(t, p.Stats().Outstanding)
		}
	}
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

// The receiver disconnects in the middle of a transfer.
func TestPeerCloses(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		for _, size := range []int{1000, 65536, 1 << 20} {
			p := newPool(t, pool.Config{})
			a, b := pair(t, zmq.Push, zmq.Pull, endpoint, zmq.SendHWM.To(20), zmq.RecvHWM.To(5))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			wait := senders(t, ctx, p, a, size)
			for range 10 {
				zmqtest.RecvBytes(t, b)
			}
			require.NoError(t, b.Close())
			require.NoError(t, a.Close())
			wait()
			requireReturned(t, p)
			endpoint = inprocOrSame(endpoint)
		}
	})
}

func inprocOrSame(endpoint string) string {
	if endpoint[:6] == "inproc" {
		return inprocName()
	}
	return endpoint
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

func TestSendAfterShutdown(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Config{})
	zctx := newContext(t)
	s := newSocket(t, zctx, zmq.Push)
	require.NoError(t, s.Connect("tcp://127.0.0.1:1"))
	require.NoError(t, s.SendMessage(context.Background(), get(t, p, 65536)))
	require.NoError(t, zctx.Shutdown())
	for _, size := range sizes {
		m := filled(t, p, size, 3)
		require.ErrorIs(t, s.SendMessage(context.Background(), m), zmq.ErrTerminated)
		require.Equal(t, pattern(size, 3), append([]byte{}, m.Bytes()...))
		p.Put(m)
	}
	require.NoError(t, zctx.Close())
	m := get(t, p, 65536)
	require.ErrorIs(t, s.SendMessage(context.Background(), m), zmq.ErrClosed)
	p.Put(m)
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
		require.Equal(t, pattern(65536, uint32(i)), append([]byte{}, held[i].Bytes()...))
		require.NoError(t, held[i].Close())
		require.Equal(t, int64(len(held)-1-i), p.Stats().Outstanding)
	}
}
