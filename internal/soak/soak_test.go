//go:build linux

package soak_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/account"
	"github.com/go-zmq/go-zmq/internal/badnet"
	"github.com/go-zmq/go-zmq/internal/leak"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

var duration = flag.Duration("duration", 5*time.Second, "how long TestSoak runs")

func TestMain(m *testing.M) { leak.Main(m, libzmq.KeepSpares) }

// A soak is a mixed load that goes on: messages that are accounted for, over
// connections that break and sockets and contexts that come and go.
type soak struct {
	c         *zmq.Context
	pool      *pool.Pool
	ctx       context.Context
	ledger    account.Ledger
	messages  atomic.Uint64
	sockets   atomic.Uint64
	producers atomic.Uint32
	proxy     *badnet.Proxy
	endpoint  string // of the PULL, through the proxy
}

func TestSoak(t *testing.T) {
	p := pool.New(pool.Config{})
	c, err := zmq.NewContext()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeoutCause(t.Context(), *duration, errDone)
	defer cancel()
	s := &soak{c: c, pool: p, ctx: ctx}
	pull := s.socket(t, zmq.Pull)
	s.endpoint = bind(t, pull)
	s.proxy, err = badnet.New(strings.TrimPrefix(s.endpoint, "tcp://"))
	require.NoError(t, err)
	s.endpoint = "tcp://" + s.proxy.Addr()

	var group sync.WaitGroup
	failed := make(chan error, 16)
	run := func(f func() error) {
		group.Go(func() {
			for ctx.Err() == nil {
				if err := f(); err != nil && ctx.Err() == nil {
					failed <- err
					cancel()
				}
			}
		})
	}
	run(func() error { return s.receive(pull) })
	for range 2 {
		run(s.push)
	}
	run(s.requests)
	run(s.publish)
	run(s.churn)
	run(s.breakConnections)
	marks := s.watch(t)
	group.Wait()
	select {
	case err := <-failed:
		require.NoError(t, err)
	default:
	}
	require.NoError(t, s.proxy.Close())
	require.NoError(t, c.Close())
	require.Zero(t, c.Rescues(), "the safety net found a forgotten waiter")
	require.NoError(t, p.Close())
	require.Eventually(t, func() bool { return p.Stats().Outstanding == 0 }, time.Minute, time.Millisecond, "native buffers are left")
	require.NoError(t, s.ledger.Report().Fault())
	requireFlat(t, marks)
	t.Logf("soak: %v, %d messages, %d sockets, %d connections broken; %s; 0 rescues, 0 native buffers left",
		*duration, s.messages.Load(), s.sockets.Load(), s.proxy.Breaks(), growth(marks))
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
	endpoint, err := k.LastEndpoint()
	require.NoError(t, err)
	return endpoint
}

// receive takes batches of what the PUSH sockets send. Which connection a message
// came over is not asked for.
func (s *soak) receive(pull *zmq.Socket) error {
	b := zmq.NewBatch(256)
	defer b.Close()
	var views [][]byte
	for {
		if _, err := pull.RecvBatchContext(s.ctx, b); err != nil {
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

// push sends a few thousand messages by a new PUSH, in pooled memory.
func (s *soak) push() error {
	k, err := s.open(zmq.Push)
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
	for range 1000 + rand.IntN(4000) {
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
			err = k.SendMessageContext(s.ctx, m, flags)
			s.pool.Put(m)
			if err != nil {
				return err
			}
		}
	}
	return nil
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
		if err := req.SendMultipartContext(s.ctx, p.Make()); err != nil {
			return err
		}
		question, err := rep.RecvMultipartContext(s.ctx)
		if err != nil {
			return err
		}
		if err := rep.SendMultipartContext(s.ctx, question); err != nil {
			return err
		}
		answer, err := req.RecvMultipartContext(s.ctx)
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
		if err := pub.SendMultipartContext(s.ctx, p.Make()); err != nil {
			return err
		}
	}
	for range 500 {
		parts, err := sub.RecvMultipartContext(s.ctx)
		if err != nil {
			return err
		}
		ledger.Take(0, parts)
		s.messages.Add(1)
	}
	return ledger.Report().Fault()
}

// churn makes a context with sockets, and closes it while they are in use.
func (s *soak) churn() error {
	c, err := zmq.NewContext()
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	for _, typ := range []zmq.SocketType{zmq.Dealer, zmq.Router, zmq.Pair, zmq.XSub} {
		k, err := c.NewSocket(typ)
		if err != nil {
			return errors.Join(err, c.Close())
		}
		s.sockets.Add(1)
		if err := k.Bind("tcp://127.0.0.1:*"); err != nil {
			return errors.Join(err, c.Close())
		}
		group.Go(func() { _, _ = k.RecvMultipart() }) // until the socket is closed
	}
	time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond)
	err = c.Close()
	group.Wait()
	if n := c.Rescues(); n > 0 {
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
	s.proxy.Reset()
	return nil
}

// watch looks at the process until the time is up, many times.
func (s *soak) watch(t *testing.T) (marks []mark) {
	pause := max(*duration/100, 50*time.Millisecond)
	for {
		marks = append(marks, look(t))
		select {
		case <-s.ctx.Done():
			return marks
		case <-time.After(pause):
		}
	}
}

// A mark is what the process needs at a moment.
type mark struct {
	at                         time.Time
	rss                        int64 // bytes
	files, threads, goroutines int
}

func look(t *testing.T) mark {
	t.Helper()
	m := mark{at: time.Now(), goroutines: runtime.NumGoroutine()}
	statm, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	var total, resident int64
	_, err = fmt.Sscan(string(statm), &total, &resident)
	require.NoError(t, err)
	m.rss = resident * int64(os.Getpagesize())
	m.files, m.threads = entries(t, "/proc/self/fd"), entries(t, "/proc/self/task")
	return m
}

func entries(t *testing.T, dir string) int {
	t.Helper()
	all, err := os.ReadDir(dir)
	require.NoError(t, err)
	return len(all)
}

// What may come on top between the second and the last quarter of the time: caches
// of the runtime and of malloc that fill up, and the chance of the moment.
const (
	moreBytes   = 16 << 20
	moreThreads = 8
	more        = 60 // descriptors, goroutines
)

// quarters returns the least that was needed at any time in the second quarter and in
// the last one: what has grown is there at all times.
func quarters(marks []mark) (early, late mark) {
	least := func(marks []mark) mark {
		m := marks[0]
		for _, n := range marks {
			m.rss, m.files = min(m.rss, n.rss), min(m.files, n.files)
			m.threads, m.goroutines = min(m.threads, n.threads), min(m.goroutines, n.goroutines)
		}
		return m
	}
	n := len(marks)
	return least(marks[n/4 : n/2]), least(marks[n*3/4:])
}

// leastForMemory is how long a run must be before its memory tells of anything but the
// heap's first collections.
const leastForMemory = 30 * time.Second

func requireFlat(t *testing.T, marks []mark) {
	t.Helper()
	if len(marks) < 20 {
		return // too few to tell
	}
	early, late := quarters(marks)
	if !instrumented && *duration >= leastForMemory {
		require.LessOrEqual(t, late.rss-early.rss, int64(moreBytes), "resident memory grows: %s", growth(marks))
	}
	require.LessOrEqual(t, late.files-early.files, more, "descriptors grow: %s", growth(marks))
	require.LessOrEqual(t, late.threads-early.threads, moreThreads, "threads grow: %s", growth(marks))
	require.LessOrEqual(t, late.goroutines-early.goroutines, more, "goroutines grow: %s", growth(marks))
}

func growth(marks []mark) string {
	if len(marks) < 20 {
		return "too short to see growth"
	}
	a, b := quarters(marks)
	return fmt.Sprintf("resident memory %d -> %d KiB, descriptors %d -> %d, threads %d -> %d, goroutines %d -> %d",
		a.rss>>10, b.rss>>10, a.files, b.files, a.threads, b.threads, a.goroutines, b.goroutines)
}
