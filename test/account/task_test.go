package account_test

import (
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

	"github.com/go-zmq/go-zmq/test/account"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/task"
	network "github.com/go-zmq/go-zmq/zmq/zmqtest"
)

// taskCells are the conditions under which tasks are accounted for.
var taskCells = []struct {
	name     string
	share    int // of all tasks, one in so many
	settings []zmq.Setting
	harm     harm
	gc       bool
}{
	{name: "plain", share: 1},
	{name: "HWM 1", share: 20, settings: []zmq.Setting{zmq.HWM(1)}},
	{name: "HWM 7", share: 20, settings: []zmq.Setting{zmq.HWM(7)}},
	{name: "HWM 100", share: 20, settings: []zmq.Setting{zmq.HWM(100)}},
	{name: "GC", share: 20, gc: true},
	{name: "delayed", share: 50, harm: harms["delayed"]},
	{name: "split", share: 50, harm: harms["split"]},
	{name: "blackholed", share: 50, harm: harms["blackholed"]},
	{name: "reset", share: 20, harm: breaking["reset"]},
	{name: "reset, HWM 1", share: 100, harm: breaking["reset"], settings: []zmq.Setting{zmq.HWM(1)}},
	{name: "reset, GC", share: 20, harm: breaking["reset"], gc: true},
	{name: "blackholed and reset", share: 20, harm: breaking["blackholed and reset"]},
}

// Every task that a queue accepted is acknowledged, and its content is intact at the worker,
// whatever happens to connections. Without faults each one is handled once; with them, those
// that are handled again are counted.
func TestAccountTasks(t *testing.T) {
	for _, c := range taskCells {
		t.Run(c.name, func(t *testing.T) {
			n := max(min(*messages, 1_000_000)/c.share, 500)
			k := newTasks(t, c.settings...)
			var harms atomic.Int64
			for range 3 {
				endpoint := k.endpoint
				if c.harm != nil {
					p := network.NewProxy(t, endpoint)
					endpoint = p.Endpoint()
					repeat(t, 50*time.Millisecond, func(r *rand.Rand) {
						c.harm(p, r)
						harms.Add(1)
						totals.fault(harmed, 1)
					})
				}
				k.worker(endpoint, c.settings...)
			}
			if c.gc {
				repeat(t, time.Millisecond, func(*rand.Rand) { runtime.GC() })
			}
			n = k.push(n, func() bool { return c.harm != nil && harms.Load() < 60 })
			k.settle(n)
			if c.harm == nil {
				require.Zero(t, k.again, "handled again, although nothing failed")
			}
		})
	}
}

// tasks are a queue whose tasks are accounted for.
type tasks struct {
	t        *testing.T
	zctx     *zmq.Context
	queue    *task.Queue
	endpoint string
	ctx      context.Context
	cancel   context.CancelFunc
	group    sync.WaitGroup

	mu     sync.Mutex
	ledger account.Ledger
	again  int // tasks that a worker got although one had handled them
}

func newTasks(t *testing.T, settings ...zmq.Setting) *tasks {
	t.Helper()
	k := &tasks{t: t, zctx: newContext(t)}
	k.ctx, k.cancel = context.WithTimeout(t.Context(), 5*patience)
	t.Cleanup(k.cancel)
	router := newSocket(t, k.zctx, zmq.Router, settings...)
	k.endpoint = bind(t, router, endpointOf("tcp"))
	var err error
	k.queue, err = task.NewQueue(router, task.QueueConfig{MaxPending: 500, Lease: 2 * time.Second})
	require.NoError(t, err)
	t.Cleanup(func() { _ = k.queue.Close() })
	return k
}

// worker starts a worker with two loops.
func (k *tasks) worker(endpoint string, settings ...zmq.Setting) {
	k.t.Helper()
	dealer := newSocket(k.t, k.zctx, zmq.Dealer, reconnects(settings...)...)
	require.NoError(k.t, dealer.Connect(endpoint))
	w, err := task.NewWorker(dealer, task.WorkerConfig{Prefetch: 50, Heartbeat: 100 * time.Millisecond})
	require.NoError(k.t, err)
	k.t.Cleanup(func() { require.NoError(k.t, w.Close()) })
	for range 2 {
		k.group.Go(func() {
			for got, err := range w.Tasks(k.ctx) {
				if err != nil {
					if !errors.Is(err, context.Canceled) {
						k.t.Error(err)
					}
					return
				}
				k.handled(got.Payload)
				if err := got.Ack(); err != nil {
					k.t.Error(err)
				}
			}
		})
	}
}

// handled enters a task.
func (k *tasks) handled(payload []byte) {
	parts := unpack(payload)
	id, number, err := account.Check(parts)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil && k.ledger.Has(id, number) {
		k.again++
		return
	}
	k.ledger.Take(account.Unordered, parts)
}

// push pushes n tasks, and goes on while more says so. It returns how many there were.
func (k *tasks) push(n int, more func() bool) int {
	k.t.Helper()
	var p account.Producer
	for p.Next < uint64(n) || more() {
		require.NoError(k.t, k.queue.Push(k.ctx, pack(p.Make())))
	}
	return int(p.Next)
}

// settle waits until all tasks are acknowledged, and looks at the books.
func (k *tasks) settle(n int) {
	k.t.Helper()
	require.NoError(k.t, k.queue.Drain(k.ctx))
	k.cancel()
	k.group.Wait()
	s := k.queue.Stats()
	require.EqualValues(k.t, n, s.Acknowledged)
	require.Zero(k.t, s.Pending+s.UnderWay)
	require.Zero(k.t, s.Malformed)
	require.NoError(k.t, k.queue.Close())
	k.mu.Lock()
	defer k.mu.Unlock()
	lost, _ := k.ledger.Missing(0, uint64(n))
	totals.book(&k.ledger, lost)
	require.NoError(k.t, k.ledger.Report().Fault())
	require.Zero(k.t, lost, "tasks that were acknowledged, but not handled")
	k.t.Logf("account: %d tasks acknowledged, %d delivered again, %d handled again, %d late answers", n, s.Redelivered, k.again, s.Late)
}

// pack makes one payload of the parts of a message, and unpack the parts of a payload.
func pack(parts [][]byte) (p []byte) {
	for _, part := range parts {
		p = append(binary.AppendUvarint(p, uint64(len(part))), part...)
	}
	return p
}

func unpack(p []byte) (parts [][]byte) {
	for len(p) > 0 {
		size, n := binary.Uvarint(p)
		if n <= 0 || size > uint64(len(p)-n) {
			return nil // torn
		}
		parts = append(parts, p[n:n+int(size)])
		p = p[n+int(size):]
	}
	return parts
}

// Tasks that fail or hang, leases that end, loops that break off and workers that are closed
// lose nothing either: each task is acknowledged, or given to Dead, exactly once.
func TestAccountTasksThatFail(t *testing.T) {
	zctx := newContext(t)
	router := newSocket(t, zctx, zmq.Router)
	endpoint := bind(t, router, endpointOf("tcp"))
	n := max(min(*messages, 1_000_000)/100, 500)
	var dead atomic.Int64
	q, err := task.NewQueue(router, task.QueueConfig{
		MaxPending: 100, Lease: 50 * time.Millisecond, MaxAttempts: 4,
		Dead: func([]byte, int, error) { dead.Add(1) },
	})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 5*patience)
	defer cancel()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for ctx.Err() == nil {
				dealer := newSocket(t, zctx, zmq.Dealer, reconnects()...)
				if err := dealer.Connect(endpoint); err != nil {
					t.Error(err)
				}
				w, err := task.NewWorker(dealer, task.WorkerConfig{Prefetch: 1 + rand.IntN(20)})
				if err != nil {
					t.Error(err)
					return
				}
				for range 20 {
					failing(ctx, w)
				}
				if err := w.Close(); err != nil {
					t.Error(err)
				}
				totals.fault(closings, 1)
			}
		})
	}
	for range n {
		require.NoError(t, q.Push(ctx, []byte("x")))
	}
	require.NoError(t, q.Drain(ctx))
	cancel()
	group.Wait()
	s := q.Stats()
	require.NoError(t, q.Close())
	require.EqualValues(t, n, s.Acknowledged+s.Dead)
	require.EqualValues(t, s.Dead, dead.Load())
	t.Logf("account: %d tasks acknowledged, %d dead, %d delivered again, %d late answers", s.Acknowledged, s.Dead, s.Redelivered, s.Late)
}

// failing is a loop that treats its tasks badly, and breaks off.
func failing(ctx context.Context, w *task.Worker) {
	for got, err := range w.Tasks(ctx) {
		if err != nil {
			return
		}
		switch rand.IntN(20) {
		case 0:
			return // without a word
		case 1:
			_ = got.Nack(errors.New("no")) // the worker may not be connected yet
		case 2:
			time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond) // some leases end
			_ = got.Ack()
		case 3:
			_ = got.Extend(time.Duration(rand.IntN(100)) * time.Millisecond)
			go func() { _ = got.Ack() }()
		default:
			_ = got.Ack()
		}
	}
}
