package task_test

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/task"
)

func TestMain(m *testing.M) { testutil.Main(m) }

var (
	newContext = zmqtest.NewContext
	newSocket  = zmqtest.NewSocket
	transports = zmqtest.Transports
	scaled     = testutil.Scaled
	within     = zmqtest.Within
)

// patience bounds the wait for what happens soon.
const patience = 30 * time.Second

// bed is a queue with the means to create workers for it.
type bed struct {
	*task.Queue
	t        testing.TB
	zctx     *zmq.Context
	endpoint string
}

// newBed creates a queue over tcp, which is closed with the test.
func newBed(t testing.TB, config task.QueueConfig, settings ...zmq.Setting) *bed {
	t.Helper()
	return newBedAt(t, "tcp://127.0.0.1:*", config, settings...)
}

func newBedAt(t testing.TB, endpoint string, config task.QueueConfig, settings ...zmq.Setting) *bed {
	t.Helper()
	b := &bed{t: t, zctx: newContext(t)}
	router := newSocket(t, b.zctx, zmq.Router, settings...)
	require.NoError(t, router.Bind(endpoint))
	b.endpoint = zmqtest.LastEndpoint(t, router)
	var err error
	b.Queue, err = task.NewQueue(router, config)
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.Queue.Close() })
	return b
}

// worker returns a worker that is connected to the queue, and closed with the test.
func (b *bed) worker(config task.WorkerConfig, settings ...zmq.Setting) *task.Worker {
	b.t.Helper()
	return newWorkerAt(b.t, b.zctx, b.endpoint, config, settings...)
}

func newWorkerAt(t testing.TB, zctx *zmq.Context, endpoint string, config task.WorkerConfig, settings ...zmq.Setting) *task.Worker {
	t.Helper()
	// A worker that is closed has to say goodbye.
	dealer := newSocket(t, zctx, zmq.Dealer, append([]zmq.Setting{zmq.Linger.To(time.Second), zmq.ReconnectInterval.To(10 * time.Millisecond)}, settings...)...)
	require.NoError(t, dealer.Connect(endpoint))
	w, err := task.NewWorker(dealer, config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return w
}

// push pushes tasks with the payloads of numbers.
func (b *bed) push(numbers ...int) {
	b.t.Helper()
	for _, n := range numbers {
		require.NoError(b.t, b.Push(within(b.t), payload(n)))
	}
}

func payload(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func number(p []byte) int { return int(binary.BigEndian.Uint64(p)) }

// await waits until the statistics fulfil a condition.
func (b *bed) await(what string, condition func(task.QueueStats) bool) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return condition(b.Stats()) }, patience, time.Millisecond, "%s", what)
}

// take receives tasks in a loop of their own, and ends the loop after them.
func take(t testing.TB, w *task.Worker, n int) (tasks []*task.Task) {
	t.Helper()
	for got, err := range w.Tasks(within(t)) {
		require.NoError(t, err)
		if tasks = append(tasks, got); len(tasks) == n {
			return tasks
		}
	}
	return tasks
}

// raw is a worker that speaks the protocol itself.
type raw struct {
	*zmq.Socket
	t testing.TB
}

func (b *bed) raw(settings ...zmq.Setting) raw {
	b.t.Helper()
	s := newSocket(b.t, b.zctx, zmq.Dealer, settings...)
	require.NoError(b.t, s.Connect(b.endpoint))
	return raw{s, b.t}
}

func (r raw) say(parts ...string) {
	r.t.Helper()
	p := make([][]byte, len(parts))
	for i := range parts {
		p[i] = []byte(parts[i])
	}
	require.NoError(r.t, r.SendMultipart(within(r.t), p))
}

func u32(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }

// ready announces a window.
func (r raw) ready(window uint32) {
	r.t.Helper()
	r.say("R" + u32(window))
}

// task receives the next task and returns its receipt.
func (r raw) task() (receipt string, attempt int, payload []byte) {
	r.t.Helper()
	for {
		m, err := r.RecvMultipart(within(r.t))
		require.NoError(r.t, err)
		if m[0][0] == 'T' {
			require.Len(r.t, m, 2)
			require.Len(r.t, m[0], 21)
			return string(m[0][1:13]), int(binary.BigEndian.Uint32(m[0][13:])), m[1]
		}
	}
}

// await receives an answer of the queue.
func (r raw) await() {
	r.t.Helper()
	m, err := r.RecvMultipart(within(r.t))
	require.NoError(r.t, err)
	require.Equal(r.t, "H", string(m[0]))
}

// quiet reports that no task has come, when the queue has answered.
func (r raw) quiet() {
	r.t.Helper()
	r.ready(0)
	for {
		m, err := r.RecvMultipart(within(r.t))
		require.NoError(r.t, err)
		require.NotEqual(r.t, byte('T'), m[0][0], "a task came: %q", m)
		if m[0][0] == 'H' {
			return
		}
	}
}

// work handles tasks with handle until the test or the context ends.
func work(ctx context.Context, w *task.Worker, handle func(*task.Task)) error {
	for t, err := range w.Tasks(ctx) {
		if err != nil {
			return err
		}
		handle(t)
	}
	return nil
}
