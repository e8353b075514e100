//go:build unix

package account_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/account"
	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

var rounds = flag.Int("rounds", 100, "rounds of TestAccountOperations in all")

const (
	workers = 16
	// watchdog is how long all may take to come back when everything is closed: ten
	// times what is promised.
	watchdog = 20 * time.Second
)

// Sixteen goroutines do whatever comes to their mind with two sockets, which are closed
// at a random moment in one of several ways: every call returns, nothing that arrives
// is torn or corrupt, and the process lives.
func TestAccountOperations(t *testing.T) {
	pairs := [][2]zmq.SocketType{
		{zmq.Pull, zmq.Push},
		{zmq.Router, zmq.Dealer},
		{zmq.Pair, zmq.Pair},
		{zmq.Pub, zmq.Sub},
		{zmq.Rep, zmq.Req},
	}
	for _, types := range pairs {
		t.Run(types[0].String()+"-"+types[1].String(), func(t *testing.T) {
			t.Parallel()
			for range max(1, *rounds/len(pairs)) {
				operate(t, types)
			}
		})
	}
}

// A playground is what the goroutines of a round have at hand.
type playground struct {
	sockets  [2]*zmq.Socket
	endpoint string
	pool     *pool.Pool
	ledger   account.Ledger
	over     atomic.Bool
	id       atomic.Uint32
	// A connection that is between two parts when the linger period passes, and is hung up
	// on just then, ends the process (docs/safety.md, row 35).
	single bool
}

func operate(t *testing.T, types [2]zmq.SocketType) {
	zctx, err := zmq.NewContext(zmq.SocketDefaults(zmq.TrackSubscriptions.To(true)))
	require.NoError(t, err)
	p := pool.New(pool.Config{})
	g := &playground{pool: p}
	for i, typ := range types {
		g.sockets[i] = newSocket(t, zctx, typ)
	}
	transport := []string{"inproc", "tcp", "ipc"}[rand.IntN(3)]
	g.single = transport != "inproc"
	g.endpoint = bind(t, g.sockets[0], endpointOf(transport))
	require.NoError(t, g.sockets[1].Connect(g.endpoint))
	if types[1] == zmq.Sub {
		require.NoError(t, g.sockets[1].Subscribe(""))
	}
	var group sync.WaitGroup
	for range workers {
		group.Go(g.work)
	}
	time.Sleep(time.Duration(rand.IntN(10_000)) * time.Microsecond) // the random moment
	closed := make(chan error, 1)
	go func() {
		err := closeAll(zctx, g.sockets[:])
		g.over.Store(true)
		group.Wait()
		closed <- err
	}()
	select {
	case err := <-closed:
		require.NoError(t, err)
	case <-time.After(watchdog):
		stacks := make([]byte, 1<<20)
		require.FailNow(t, "calls that do not return", "%s", stacks[:runtime.Stack(stacks, true)])
	}
	totals.fault(closings, len(g.sockets))
	totals.book(&g.ledger, 0)
	require.Zero(t, core.Rescues(), "the watchdog found a forgotten waiter")
	require.NoError(t, g.ledger.Report().Fault())
	require.NoError(t, p.Close())
	require.Eventually(t, func() bool { return p.Stats().Outstanding == 0 }, patience, time.Millisecond)
}

// closeAll closes everything, in one of the ways there are.
func closeAll(zctx *zmq.Context, sockets []*zmq.Socket) error {
	var err error
	switch rand.IntN(5) {
	case 0:
		err = sockets[0].Close()
	case 1:
		err = errors.Join(sockets[1].Close(), sockets[0].Close())
	case 2:
		err = zctx.Shutdown()
	case 3:
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(3))*time.Millisecond)
		defer cancel()
		_ = zctx.CloseContext(ctx) // it may take longer than that
	}
	return errors.Join(err, zctx.Close())
}

// work does one thing after the other until everything is closed.
func (g *playground) work() {
	p := account.Producer{ID: g.id.Add(1)}
	b := zmq.NewBatch(8)
	defer b.Close()
	for !g.over.Load() {
		s := g.sockets[rand.IntN(len(g.sockets))]
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(1000))*time.Microsecond)
		g.operation(ctx, s, &p, b)
		cancel()
	}
}

// make makes a message.
func (g *playground) make(p *account.Producer) [][]byte {
	parts := p.Make()
	for g.single && len(parts) > 1 {
		parts = p.Make()
	}
	return parts
}

// operation does something with a socket. What most calls return depends on what the
// others do; that they return is what matters.
func (g *playground) operation(ctx context.Context, s *zmq.Socket, p *account.Producer, b *zmq.Batch) {
	switch rand.IntN(40) {
	case 0:
		_ = s.SendMultipart(context.Background(), g.make(p)) // until it is closed
	case 1:
		g.take(s)(s.RecvMultipart(context.Background())) // until it is closed
	case 2, 3:
		_ = s.SendMultipart(context.Background(), g.make(p), zmq.DontWait)
	case 4, 5, 6, 7:
		_ = s.SendMultipart(ctx, g.make(p))
	case 8, 9, 10, 11:
		g.take(s)(s.RecvMultipart(ctx))
	case 12, 13:
		g.take(s)(s.RecvMultipart(context.Background(), zmq.DontWait))
	case 14, 15:
		b.Reset()
		for range 4 {
			_ = b.Append(g.make(p)...)
		}
		_, _ = s.SendBatch(ctx, b)
		b.Reset()
	case 16, 17:
		_, err := s.RecvBatch(ctx, b)
		for _, m := range b.All() {
			g.take(s)(viewsOf(nil, m), err)
		}
	case 18, 19:
		for m, err := range s.Messages(ctx) {
			g.take(s)(viewsOf(nil, m), err)
		}
	case 20, 21:
		var m zmq.Multipart
		err := s.RecvMultipartMessage(ctx, &m)
		g.take(s)(viewsOf(nil, m), err)
		_ = m.Close()
	case 22:
		parts := p.Make()
		for len(parts) > 1 { // part by part is not for sockets that goroutines share
			parts = p.Make()
		}
		_ = sendPooled(ctx, s, g.pool, parts)
	default:
		g.look(ctx, s)
	}
}

// look does what neither sends nor receives.
func (g *playground) look(ctx context.Context, s *zmq.Socket) {
	switch rand.IntN(14) {
	case 0:
		_ = s.Set(zmq.Linger.To(time.Duration(rand.IntN(3)) * time.Millisecond))
	case 1:
		_ = s.Set(zmq.RecvTimeout.To(-1), zmq.SendTimeout.To(-1))
	case 2:
		_, _ = zmq.RoutingID.Get(s)
		_, _ = s.LastEndpoint()
	case 3:
		if s.Bind("tcp://127.0.0.1:*") == nil {
			if endpoint, err := s.LastEndpoint(); err == nil {
				_ = s.Unbind(endpoint)
			}
		}
	case 4:
		if g.sockets[1].Type() == zmq.Sub {
			return // messages published now may come over the old and the new connection
		}
		_ = g.sockets[1].Disconnect(g.endpoint)
		_ = g.sockets[1].Connect(g.endpoint)
	case 5:
		_ = g.sockets[0].Unbind(g.endpoint)
		_ = g.sockets[0].Bind(g.endpoint)
	case 6:
		_ = s.Subscribe("")
		_ = s.Unsubscribe("x")
	case 7:
		if m, err := s.Monitor(zmq.EventAll); err == nil {
			for range m.Events(ctx) {
				break
			}
			_ = m.Close()
		}
	case 8:
		_ = s.Stats()
		_ = s.Stats().Connections
	case 9:
		_ = s.WaitConnected(ctx, 1)
	case 10:
		_ = s.WaitSubscribers(ctx, 1)
	case 11:
		_ = s.WaitReadable(ctx)
	case 12:
		select {
		case <-s.Ready():
		case <-ctx.Done():
		}
	case 13:
		if pl, err := poller.New(); err == nil {
			_ = pl.Add(s, poller.In|poller.Out)
			_, _ = pl.Wait(ctx)
			_ = pl.Close()
		}
	}
}

// take enters what was received from s.
func (g *playground) take(s *zmq.Socket) func(parts [][]byte, err error) {
	return func(parts [][]byte, err error) {
		if err != nil || len(parts) == 0 {
			return
		}
		if s.Type() == zmq.Router {
			parts = parts[1:]
		}
		g.ledger.Take(account.Unordered, parts)
	}
}
