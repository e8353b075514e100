package pool_test

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

// The memory of a sent message returns without a call, whatever its size.
func TestSentBuffersComeBack(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		p := newPool(t, pool.Config{MaxSize: 65536})
		a, b := pair(t, zmq.Push, zmq.Pull, endpoint)
		var r zmq.Message
		for round := range 3 {
			for i, size := range sizes {
				m := filled(t, p, size, uint32(i))
				require.NoError(t, a.SendMessage(context.Background(), m))
				require.Zero(t, m.Len(), "a sent Message is empty")
				if round > 0 {
					p.Put(m)
				}
				require.NoError(t, b.RecvMessage(context.Background(), &r))
				require.Equal(t, pattern(size, uint32(i)), append([]byte{}, r.Bytes()...), "size %d", size)
			}
			require.NoError(t, r.Close())
			requireOutstanding(t, p, 0)
		}
	})
}

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
			require.Equal(t, pattern(size, 5), append([]byte{}, r.Bytes()...))
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
		require.NoError(t, a.SendMessage(context.Background(), m, zmq.SendMore))
		p.Put(m)
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

// A shared buffer returns once, after its last user.
func TestClone(t *testing.T) {
	t.Parallel()
	for _, size := range sizes {
		p := newPool(t, pool.Config{})
		m := filled(t, p, size, 9)
		c, err := m.Clone()
		require.NoError(t, err)
		d, err := c.Clone()
		require.NoError(t, err)
		for _, x := range []*zmq.Message{m, c, d} {
			require.Equal(t, pattern(size, 9), append([]byte{}, x.Bytes()...))
		}
		p.Put(m)
		require.Equal(t, int64(1), p.Stats().Outstanding)
		require.NoError(t, c.Close())
		require.Equal(t, int64(1), p.Stats().Outstanding)
		require.Equal(t, pattern(size, 9), append([]byte{}, d.Bytes()...))
		require.NoError(t, d.Close())
		require.Zero(t, p.Stats().Outstanding)
		requireSound(t, p, size)
	}
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
	require.NoError(t, a.SendMessage(context.Background(), m))
	p.Put(m)

	hop := get(t, p, 100) // its own memory goes back when it receives
	require.Equal(t, int64(2), p.Stats().Outstanding)
	require.NoError(t, b.RecvMessage(context.Background(), hop))
	require.Equal(t, int64(1), p.Stats().Outstanding)
	require.Same(t, where, &hop.Bytes()[0])
	require.NoError(t, c.SendMessage(context.Background(), hop))
	p.Put(hop)
	require.Equal(t, int64(1), p.Stats().Outstanding)

	last := get(t, p, 100_000)
	require.NoError(t, d.RecvMessage(context.Background(), last))
	require.Same(t, where, &last.Bytes()[0])
	require.Equal(t, pattern(size, 2), append([]byte{}, last.Bytes()...))
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
		require.Equal(t, pattern(65536, uint32(i)), append([]byte{}, m.Bytes()...))
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
		require.NoError(t, s.SendMessage(context.Background(), m))
		p.Put(m)
		require.Zero(t, p.Stats().Outstanding-1, "size %d", size)

		other, err := clone.Clone()
		require.NoError(t, err)
		require.NoError(t, s.Send(context.Background(), hello[0], zmq.SendMore))
		require.NoError(t, s.SendMessage(context.Background(), clone))
		p.Put(clone)
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
		require.NoError(t, a.SendMessage(context.Background(), m))
		p.Put(m)
		require.Zero(t, p.Stats().Outstanding)
	}
	require.Equal(t, pattern(65536, 9), zmqtest.RecvBytes(t, b))
}
