package pool_test

import (
	"context"
	"errors"
	"net"
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

func TestPublishingToNobody(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Config{})
	pub := newSocket(t, newContext(t), zmq.Pub)
	require.NoError(t, pub.Bind(tcp))
	for _, size := range sizes {
		m := get(t, p, size)
		require.NoError(t, pub.SendMessage(context.Background(), m))
		require.Zero(t, p.Stats().Outstanding, "size %d", size)
		p.Put(m)
	}
}

func TestPublishingToMany(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Config{})
	zctx := newContext(t)
	pub := newSocket(t, zctx, zmq.XPub)
	endpoint := inprocName()
	require.NoError(t, pub.Bind(endpoint))
	var subs []*zmq.Socket
	for range 3 {
		s := newSocket(t, zctx, zmq.Sub)
		require.NoError(t, s.Connect(endpoint))
		require.NoError(t, s.Subscribe(""))
		subs = append(subs, s)
	}
	_, err := pub.RecvBytes(context.Background()) // XPUB passes on only the first of equal subscriptions
	require.NoError(t, err)
	for _, size := range []int{100, 65536} {
		require.NoError(t, pub.SendMessage(context.Background(), filled(t, p, size, 5)))
		for _, s := range subs {
			var r zmq.Message
			require.NoError(t, s.RecvMessage(context.Background(), &r))
			requireContent(t, &r, size, 5)
			require.NoError(t, r.Close())
		}
		requireOutstanding(t, p, 0)
	}
}

func TestDiscardedPartsComeBack(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Config{})
	a, b := pair(t, zmq.Dealer, zmq.Dealer, inprocName())
	for _, size := range sizes {
		m := get(t, p, size)
		send(t, a, p, m, zmq.SendMore)
	}
	require.Equal(t, int64(len(sizes)), p.Stats().Outstanding)
	require.Equal(t, len(sizes), a.DiscardParts())
	require.Zero(t, p.Stats().Outstanding)

	require.NoError(t, a.SendMessage(context.Background(), filled(t, p, 65536, 1), zmq.SendMore))
	require.NoError(t, a.Close(), "so do those that nobody completed")
	require.Zero(t, p.Stats().Outstanding)
	_, err := b.RecvBytes(context.Background(), zmq.DontWait)
	require.ErrorIs(t, err, zmq.ErrAgain)
}

// Over inproc a received Message is the sender's memory, even if it is forwarded.
func TestForward(t *testing.T) {
	t.Parallel()
	const size = 65536
	p := newPool(t, pool.Config{})
	a, b := pair(t, zmq.Push, zmq.Pull, inprocName())
	c, d := pair(t, zmq.Push, zmq.Pull, inprocName())
	m := filled(t, p, size, 2)
	where := &m.Bytes()[0]
	send(t, a, p, m)

	hop := get(t, p, 100) // its own memory goes back when it receives
	require.Equal(t, int64(2), p.Stats().Outstanding)
	require.NoError(t, b.RecvMessage(context.Background(), hop))
	require.Equal(t, int64(1), p.Stats().Outstanding)
	require.Same(t, where, &hop.Bytes()[0])
	send(t, c, p, hop)
	require.Equal(t, int64(1), p.Stats().Outstanding)

	last := get(t, p, 100_000)
	require.NoError(t, d.RecvMessage(context.Background(), last))
	require.Same(t, where, &last.Bytes()[0])
	requireContent(t, last, size, 2)
	require.Equal(t, int64(1), p.Stats().Outstanding)
	p.Put(last) // releases what was received
	require.Zero(t, p.Stats().Outstanding)
	requireSound(t, p, size)
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

// Alloc replaces pooled memory by libzmq's, and so does receiving with ReadAhead.
func TestOtherContentInAPooledMessage(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Config{})
	m := get(t, p, 65536)
	require.NoError(t, m.Alloc(100))
	require.Zero(t, p.Stats().Outstanding)
	p.Put(m)

	a, b := pair(t, zmq.Dealer, zmq.Dealer, inprocName(), zmq.ReadAhead.To(8))
	for i := range 20 {
		require.NoError(t, a.SendMessage(context.Background(), filled(t, p, 65536, uint32(i))))
	}
	for i := range 20 {
		m := get(t, p, 65536)
		require.NoError(t, b.RecvMessage(context.Background(), m))
		requireContent(t, m, 65536, uint32(i))
		p.Put(m)
	}
	require.NoError(t, b.Close())
}

// Sockets whose messages libzmq can lose get a copy.
func TestStreamCopies(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	p := newPool(t, pool.Config{})
	s := newSocket(t, newContext(t), zmq.Stream)
	require.NoError(t, s.Connect("tcp://"+l.Addr().String()))
	conn, err := l.Accept()
	require.NoError(t, err)
	defer conn.Close()
	hello := zmqtest.RecvParts(t, s)
	for i, size := range []int{100, pool.CopyBelow, 65536} {
		m, clone := filled(t, p, size, uint32(i)), filled(t, p, size, uint32(i))
		require.NoError(t, s.Send(context.Background(), hello[0], zmq.SendMore))
		send(t, s, p, m)
		require.Zero(t, p.Stats().Outstanding-1, "size %d", size)

		other, err := clone.Clone()
		require.NoError(t, err)
		require.NoError(t, s.Send(context.Background(), hello[0], zmq.SendMore))
		send(t, s, p, clone)
		require.NoError(t, other.Close())
		require.Zero(t, p.Stats().Outstanding, "size %d", size)
	}
}

func TestConflateCopies(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Config{})
	a, b := pair(t, zmq.Push, zmq.Pull, inprocName(), zmq.Conflate.To(true))
	for i := range 10 {
		m := filled(t, p, 65536, uint32(i))
		send(t, a, p, m)
		require.Zero(t, p.Stats().Outstanding)
	}
	require.Equal(t, pattern(65536, 9), zmqtest.RecvBytes(t, b))
}

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
			requireContent(t, m, size, 6)
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
		}
	})
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
		requireContent(t, m, size, 3)
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
		requireContent(t, &held[i], 65536, uint32(i))
		require.NoError(t, held[i].Close())
		require.Equal(t, int64(len(held)-1-i), p.Stats().Outstanding)
	}
}
