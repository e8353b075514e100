//go:build linux

package soak_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/test/account"
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/intercept"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	network "github.com/go-zmq/go-zmq/zmq/zmqtest"
)

var duration = flag.Duration("duration", 5*time.Second, "how long TestSoak runs")

func TestMain(m *testing.M) { testutil.Main(m, intercept.CheckMessages) }

// A soak is a mixed load that goes on: messages that are accounted for, over
// connections that break and sockets and contexts that come and go.
type soak struct {
	c          *zmq.Context
	pool       *pool.Pool
	ctx        context.Context
	ledger     account.Ledger
	messages   atomic.Uint64
	sockets    atomic.Uint64
	contexts   atomic.Uint64
	reconnects atomic.Int64 // of connections that were broken
	rest       sync.RWMutex // held for reading by each piece of work
	leak       func(*soak)  // what a test of the test does after each
	producers  atomic.Uint32
	proxy      *network.Proxy
	endpoint   string // of the PULL, through the proxy
}

func TestSoak(t *testing.T) {
	s, marks := run(t, *duration, nil)
	require.NoError(t, judge(marks))
	if *duration >= time.Minute && !instrumented {
		require.GreaterOrEqual(t, s.sockets.Load(), uint64(leastSockets))
		require.GreaterOrEqual(t, s.contexts.Load(), uint64(leastContexts))
		require.GreaterOrEqual(t, s.reconnects.Load(), int64(leastReconnects))
	}
	t.Logf("soak: %v, %d messages, %d sockets, %d contexts, %d reconnects, %s",
		*duration, s.messages.Load(), s.sockets.Load(), s.contexts.Load(), s.reconnects.Load(), growth(marks))
}

// What a minute must have seen at least.
const (
	leastSockets    = 10_000
	leastContexts   = 100
	leastReconnects = 100
)

// run lets the load go on for so long, and returns what the process needed at each
// rest. leak is called after each piece of work.
func run(t *testing.T, duration time.Duration, leak func(*soak)) (*soak, []mark) {
	t.Helper()
	p := pool.New(pool.Config{})
	zctx := zmqtest.NewContext(t, zmq.SocketDefaults(zmq.TrackSubscriptions.To(true)))
	ctx, cancel := context.WithTimeoutCause(t.Context(), duration, errDone)
	defer cancel()
	s := &soak{c: zctx, pool: p, ctx: ctx, leak: leak}
	pull := s.socket(t, zmq.Pull)
	s.endpoint = bind(t, pull)
	s.proxy = network.NewProxy(t, s.endpoint)
	s.endpoint = s.proxy.Endpoint()

	var group sync.WaitGroup
	failed := make(chan error, 16)
	begin := func(f func() error) {
		group.Go(func() {
			for ctx.Err() == nil {
				if err := f(); err != nil && ctx.Err() == nil {
					failed <- err
					cancel()
				}
			}
		})
	}
	begin(func() error { return s.receive(pull) })
	for _, work := range []func() error{s.push, s.push, s.requests, s.publish, s.churn, s.burst, s.breakConnections} {
		begin(func() error { return s.piece(work) })
	}
	marks := s.watch(t, duration)
	group.Wait()
	select {
	case err := <-failed:
		require.NoError(t, err)
	default:
	}
	require.NoError(t, zctx.Close())
	require.Zero(t, core.Rescues(), "the watchdog found a forgotten waiter")
	require.NoError(t, p.Close())
	require.Eventually(t, func() bool { return p.Stats().Outstanding == 0 }, time.Minute, time.Millisecond, "native buffers are left")
	require.NoError(t, s.ledger.Report().Fault())
	return s, marks
}

// piece does a piece of work, unless there is a rest.
func (s *soak) piece(work func() error) error {
	s.rest.RLock()
	defer s.rest.RUnlock()
	err := work()
	if s.leak != nil {
		s.leak(s)
	}
	return err
}

var errDone = errors.New("the time is up")

func (s *soak) socket(t *testing.T, typ zmq.SocketType, settings ...zmq.Setting) *zmq.Socket {
	t.Helper()
	k, err := s.open(typ, settings...)
	require.NoError(t, err)
	return k
}

func (s *soak) open(typ zmq.SocketType, settings ...zmq.Setting) (*zmq.Socket, error) {
	s.sockets.Add(1)
	return s.c.NewSocket(typ, append([]zmq.Setting{zmq.Linger.To(0), zmq.ReconnectInterval.To(time.Millisecond)}, settings...)...)
}

func bind(t *testing.T, k *zmq.Socket) string {
	t.Helper()
	require.NoError(t, k.Bind("tcp://127.0.0.1:*"))
	return zmqtest.LastEndpoint(t, k)
}

// receive takes batches of what the PUSH sockets send. Which connection a message
// came over is not asked for.
func (s *soak) receive(pull *zmq.Socket) error {
	b := zmq.NewBatch(256)
	defer b.Close()
	var views [][]byte
	for {
		if _, err := pull.RecvBatch(s.ctx, b); err != nil {
			return err
		}
		for _, m := range b.All() {
			views = views[:0]
			for i := range m {
				views = append(views, m[i].Bytes())
			}
			s.ledger.Take(account.Unordered, views)
		}
		s.messages.Add(uint64(b.Len()))
	}
}

// push sends some hundred messages by a new PUSH, in pooled memory.
func (s *soak) push() error {
	// With a linger period that passes while a connection is between two parts, and is
	// reset just then, libzmq aborts (docs/safety.md): here it does not pass.
	k, err := s.open(zmq.Push, zmq.Linger.To(3*time.Second))
	if err != nil {
		return err
	}
	defer k.Close()
	if err := k.Connect(s.endpoint); err != nil {
		return err
	}
	p := account.Producer{ID: s.producers.Add(1)}
	// Of those before, nothing is under way any more.
	defer s.ledger.Forget(p.ID - 16)
	for range 200 + rand.IntN(800) {
		parts := p.Make()
		for i, part := range parts {
			m, err := s.pool.GetBytes(part)
			if err != nil {
				return err
			}
			var flags zmq.Flag
			if i+1 < len(parts) {
				flags = zmq.SendMore
			}
			err = k.SendMessage(s.ctx, m, flags)
			s.pool.Put(m)
			if err != nil {
				return err
			}
		}
	}
	return s.drain(p.ID)
}

// drain waits until no more of what a producer sent arrives: who closes at once and
// begins anew would have ever more sockets linger, with ever more messages.
func (s *soak) drain(id uint32) error {
	for came := uint64(0); ; {
		select {
		case <-s.ctx.Done():
			return nil
		case <-time.After(20 * time.Millisecond):
		}
		now := s.ledger.Received(id)
		if now == came {
			return nil
		}
		came = now
	}
}

// requests has a new REQ ask a new REP, over all transports.
func (s *soak) requests() error {
	rep, err := s.open(zmq.Rep)
	if err != nil {
		return err
	}
	defer rep.Close()
	req, err := s.open(zmq.Req)
	if err != nil {
		return err
	}
	defer req.Close()
	endpoint := []string{"tcp://127.0.0.1:*", "ipc://*", fmt.Sprintf("inproc://soak-%d", s.sockets.Load())}[rand.IntN(3)]
	if err := rep.Bind(endpoint); err != nil {
		return err
	}
	if endpoint, err = rep.LastEndpoint(); err != nil {
		return err
	}
	if err := req.Connect(endpoint); err != nil {
		return err
	}
	var answers account.Ledger
	p := account.Producer{ID: 1}
	for range 200 {
		if err := req.SendMultipart(s.ctx, p.Make()); err != nil {
			return err
		}
		question, err := rep.RecvMultipart(s.ctx)
		if err != nil {
			return err
		}
		if err := rep.SendMultipart(s.ctx, question); err != nil {
			return err
		}
		answer, err := req.RecvMultipart(s.ctx)
		if err != nil {
			return err
		}
		answers.Take(0, answer)
		s.messages.Add(2)
	}
	if lost, _ := answers.Missing(1, 200); lost > 0 {
		return fmt.Errorf("%d answers are missing", lost)
	}
	return answers.Report().Fault()
}

// publish has a new PUB publish to a new SUB.
func (s *soak) publish() error {
	pub, err := s.open(zmq.Pub, zmq.WhenFull.To(zmq.Block))
	if err != nil {
		return err
	}
	defer pub.Close()
	sub, err := s.open(zmq.Sub, zmq.ReadAhead.To(64), zmq.Subscribe.To(""))
	if err != nil {
		return err
	}
	defer sub.Close()
	if err := pub.Bind("tcp://127.0.0.1:*"); err != nil {
		return err
	}
	endpoint, err := pub.LastEndpoint()
	if err != nil {
		return err
	}
	if err := sub.Connect(endpoint); err != nil {
		return err
	}
	if err := pub.WaitSubscribers(s.ctx, 1); err != nil {
		return err
	}
	var ledger account.Ledger
	p := account.Producer{ID: 1}
	for range 500 {
		if err := pub.SendMultipart(s.ctx, p.Make()); err != nil {
			return err
		}
	}
	for range 500 {
		parts, err := sub.RecvMultipart(s.ctx)
		if err != nil {
			return err
		}
		ledger.Take(0, parts)
		s.messages.Add(1)
	}
	return ledger.Report().Fault()
}

// burst makes many sockets that are closed at once.
func (s *soak) burst() error {
	for i := range 50 {
		k, err := s.open([]zmq.SocketType{zmq.Push, zmq.Router, zmq.Sub, zmq.Req}[i%4])
		if errors.Is(err, syscall.EMFILE) {
			break // libzmq has yet to end those before
		}
		if err != nil {
			return err
		}
		if err := k.Close(); err != nil {
			return err
		}
	}
	// For what closes to be ended.
	time.Sleep(30 * time.Millisecond)
	return nil
}

// churn makes a context with sockets, and closes it while they are in use.
func (s *soak) churn() error {
	zctx, err := zmq.NewContext(zmq.SocketDefaults(zmq.TrackSubscriptions.To(true)))
	if err != nil {
		return err
	}
	s.contexts.Add(1)
	var group sync.WaitGroup
	for _, typ := range []zmq.SocketType{zmq.Dealer, zmq.Router, zmq.Pair, zmq.XSub} {
		k, err := zctx.NewSocket(typ)
		if err != nil {
			return errors.Join(err, zctx.Close())
		}
		s.sockets.Add(1)
		if err := k.Bind("tcp://127.0.0.1:*"); err != nil {
			return errors.Join(err, zctx.Close())
		}
		group.Go(func() { _, _ = k.RecvMultipart(context.Background()) }) // until the socket is closed
	}
	time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond)
	err = zctx.Close()
	group.Wait()
	if n := core.Rescues(); n > 0 {
		err = errors.Join(err, fmt.Errorf("%d rescues", n))
	}
	return err
}

func (s *soak) breakConnections() error {
	select {
	case <-s.ctx.Done():
	case <-time.After(time.Duration(rand.IntN(40)) * time.Millisecond):
	}
	s.proxy.Split(rand.IntN(2) * (1000 + rand.IntN(4000)))
	s.reconnects.Add(int64(s.proxy.Cut()))
	return nil
}
