package task_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/task"
	badnet "github.com/go-zmq/go-zmq/zmq/zmqtest"
)

// A loop that breaks off gives back what it did not take: to another worker, at once, and as
// the same attempt.
func TestBreakGivesBack(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		b := newBedAt(t, endpoint, task.QueueConfig{Lease: time.Hour, MaxAttempts: 1, Dead: func(p []byte, _ int, why error) {
			t.Errorf("task %d is dead: %v", number(p), why)
		}})
		w := b.worker(task.WorkerConfig{Prefetch: 10})
		for i := range 10 {
			b.push(i)
		}
		seen := map[int]bool{}
		for range 5 {
			first := take(t, w, 1)[0]
			seen[number(first.Payload)] = true
			require.NoError(t, first.Ack())
		}
		other := b.raw()
		other.ready(10)
		for range 5 {
			_, attempt, p := other.task()
			require.Equal(t, 1, attempt)
			seen[number(p)] = true
		}
		require.Len(t, seen, 10)
		b.await("the acknowledgments", func(s task.QueueStats) bool { return s.Acknowledged == 5 })
		require.Equal(t, 5, b.Stats().UnderWay)
		// The worker has no loop, so it gets nothing.
		b.push(10)
		other.ready(11)
		_, _, p := other.task()
		require.Equal(t, 10, number(p))
	})
}

// A panic in the loop gives back as well.
func TestPanicGivesBack(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{Lease: time.Hour})
	w := b.worker(task.WorkerConfig{Prefetch: 3})
	b.push(1, 2, 3)
	require.PanicsWithValue(t, "handler", func() {
		for range w.Tasks(within(t)) {
			panic("handler")
		}
	})
	b.await("two tasks", func(s task.QueueStats) bool { return s.UnderWay == 1 && s.Pending == 2 })
}

// Close says goodbye: all tasks that are not acknowledged are delivered again at once, and
// what was acknowledged before is.
func TestWorkerCloseSaysGoodbye(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{Lease: time.Hour})
	w := b.worker(task.WorkerConfig{Prefetch: 4})
	b.push(1, 2, 3)
	tasks := take(t, w, 2)
	require.NoError(t, tasks[0].Ack())
	b.await("the third one", func(s task.QueueStats) bool { return s.UnderWay == 1 && s.Pending == 1 })
	require.NoError(t, w.Close())
	require.NoError(t, w.Close())
	b.await("the goodbye", func(s task.QueueStats) bool { return s.Workers == 0 && s.UnderWay == 0 })
	require.EqualValues(t, 1, b.Stats().Acknowledged)
	other := b.raw()
	other.ready(2)
	_, attempt, p := other.task()
	require.Equal(t, 2, number(p))
	require.Equal(t, 2, attempt, "a loop had taken it")
	_, attempt, p = other.task()
	require.Equal(t, 3, number(p))
	require.Equal(t, 1, attempt, "no loop had taken it")
	require.ErrorIs(t, work(t.Context(), w, nil), zmq.ErrClosed)
}

// The loop ends with the context and with the worker, and says which.
func TestTasksEnds(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{})
	w := b.worker(task.WorkerConfig{})
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, work(short, w, nil), context.DeadlineExceeded)
	b.push(1)
	require.ErrorIs(t, work(short, w, nil), context.DeadlineExceeded, "although there is a task")
	require.ErrorIs(t, work(nil, w, nil), syscall.EINVAL) //nolint:staticcheck // this is tested
	ended := make(chan error, 4)
	for range cap(ended) {
		go func() { ended <- work(context.Background(), w, func(*task.Task) {}) }()
	}
	b.await("the task", func(s task.QueueStats) bool { return s.UnderWay == 1 })
	require.NoError(t, w.Close())
	for range cap(ended) {
		require.ErrorIs(t, <-ended, zmq.ErrClosed)
	}
}

// Tasks that wait in a worker keep their lease while its loop goes on, although handling them
// all takes several leases. So nothing is delivered twice.
func TestPrefetchedTasksKeepLease(t *testing.T) {
	t.Parallel()
	const lease, n = 2 * time.Second, 6
	b := newBed(t, task.QueueConfig{Lease: lease})
	w, other := b.worker(task.WorkerConfig{Prefetch: n}), b.raw()
	for i := range n {
		b.push(i)
	}
	handled := 0
	for got, err := range w.Tasks(within(t)) {
		require.NoError(t, err)
		if handled == 0 {
			other.ready(n) // it would get what is delivered again
		}
		time.Sleep(lease / 3) // the time is what is tested
		require.NoError(t, got.Ack())
		if handled++; handled == n {
			break
		}
	}
	require.NoError(t, b.Drain(within(t)))
	require.Zero(t, b.Stats().Redelivered)
}

// A loop that hangs loses the tasks that wait behind it to other workers, without an attempt
// being counted, and gets no new ones until it goes on.
func TestHangingLoopGivesBack(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{Lease: 3 * time.Second})
	w, other := b.worker(task.WorkerConfig{Prefetch: 5}), b.raw()
	for i := range 5 {
		b.push(i)
	}
	hung, goOn := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	var after atomic.Int32
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		first := true
		ended <- work(ctx, w, func(got *task.Task) {
			if first {
				first = false
				close(hung)
				<-goOn
			} else {
				after.Add(1)
			}
			_ = got.Ack()
		})
	}()
	<-hung
	other.ready(5)
	for range 4 {
		receipt, attempt, p := other.task()
		if number(p) == 0 {
			continue // the one that hangs
		}
		require.Equal(t, 1, attempt, "task %d", number(p))
		other.say("A" + receipt)
	}
	other.ready(0)
	close(goOn)
	b.await("all", func(s task.QueueStats) bool { return s.Acknowledged == 5 })
	before := after.Load()
	b.push(6)
	b.await("another one", func(s task.QueueStats) bool { return s.Acknowledged == 6 })
	require.Eventually(t, func() bool { return after.Load() > before }, patience, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

// Any goroutine may acknowledge, also when the loop has ended.
func TestAckFromOtherGoroutines(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{})
	w := b.worker(task.WorkerConfig{Prefetch: 100})
	for i := range 100 {
		b.push(i)
	}
	var group sync.WaitGroup
	tasks := take(t, w, 100)
	for _, got := range tasks {
		group.Go(func() {
			if err := got.Ack(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	require.NoError(t, b.Drain(within(t)))
	require.Zero(t, b.Stats().Late)
}

// A worker outlives its queue: the next queue at the same address gets to know it.
func TestQueueRestarts(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{Lease: time.Hour})
	w := b.worker(task.WorkerConfig{Prefetch: 5, Heartbeat: 50 * time.Millisecond})
	handled := make(chan int, 100)
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		ended <- work(ctx, w, func(got *task.Task) {
			_ = got.Ack()
			handled <- number(got.Payload)
		})
	}()
	for round := range 3 {
		b.push(round)
		require.Equal(t, round, <-handled)
		require.NoError(t, b.Drain(within(t)))
		require.NoError(t, b.Close())
		router := newSocket(t, b.zctx, zmq.Router)
		require.Eventually(t, func() bool { return router.Bind(b.endpoint) == nil }, patience, time.Millisecond)
		next, err := task.NewQueue(router, task.QueueConfig{Lease: time.Hour})
		require.NoError(t, err)
		b.Queue = next
	}
	b.push(9)
	require.Equal(t, 9, <-handled)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.NoError(t, b.Drain(within(t)))
	require.NoError(t, b.Close())
}

// A loop hears of a silent queue, as often as the time passes, and goes on when there is a
// queue.
func TestSilentQueue(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	probe := newSocket(t, zctx, zmq.Router)
	require.NoError(t, probe.Bind("tcp://127.0.0.1:*"))
	endpoint := zmqtest.LastEndpoint(t, probe)
	require.NoError(t, probe.Unbind(endpoint))
	w := newWorkerAt(t, zctx, endpoint, task.WorkerConfig{Heartbeat: 5 * time.Millisecond, Silence: 30 * time.Millisecond})
	silences, b := 0, &bed{t: t}
	for got, err := range w.Tasks(within(t)) {
		if err == nil {
			require.NoError(t, got.Ack())
			break
		}
		require.ErrorIs(t, err, zmq.ErrAgain)
		if silences++; silences == 3 {
			router := newSocket(t, zctx, zmq.Router)
			require.Eventually(t, func() bool { return router.Bind(endpoint) == nil }, patience, time.Millisecond)
			var err error
			b.Queue, err = task.NewQueue(router, task.QueueConfig{})
			require.NoError(t, err)
			t.Cleanup(func() { _ = b.Close() })
			b.push(1)
		}
	}
	require.GreaterOrEqual(t, silences, 3)
	require.NoError(t, b.Drain(within(t)))
}

// A worker whose socket cannot send, because the queue is away and its queue is full, keeps
// acknowledgments, and says that it cannot tell the rest.
func TestQueueIsAway(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{Lease: time.Hour})
	w := b.worker(task.WorkerConfig{Prefetch: 3, Heartbeat: time.Millisecond}, zmq.SendHWM.To(1))
	b.push(1, 2, 3)
	tasks := take(t, w, 3)
	keep := make(chan error, 1)
	go func() { keep <- work(context.Background(), w, func(*task.Task) {}) }() // whose heartbeats fill the socket
	require.Error(t, b.Close())
	require.Eventually(t, func() bool { return errors.Is(tasks[0].Extend(2*time.Hour), zmq.ErrAgain) }, patience, time.Millisecond)
	require.ErrorIs(t, tasks[1].Nack(nil), zmq.ErrAgain)
	require.NoError(t, tasks[2].Ack())
	require.NoError(t, w.Close())
	require.ErrorIs(t, <-keep, zmq.ErrClosed)
}

// A worker that vanishes without goodbye, because its connection breaks, loses its tasks to
// another one at once, although their leases last. The worker itself reconnects, has given
// back what no loop had taken, and may still acknowledge what one had.
func TestLostConnection(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{Lease: time.Hour})
	proxy := badnet.NewProxy(t, b.endpoint)
	w := newWorkerAt(t, b.zctx, proxy.Endpoint(), task.WorkerConfig{Prefetch: 3})
	other := b.raw()
	b.push(1, 2, 3)
	ctx, cancel := context.WithCancel(t.Context())
	taken := make(chan *task.Task, 10)
	ended := make(chan error, 1)
	goOn := make(chan struct{})
	go func() {
		ended <- work(ctx, w, func(got *task.Task) {
			taken <- got
			<-goOn
		})
	}()
	first := <-taken
	b.await("all three", func(s task.QueueStats) bool { return s.UnderWay == 3 })
	other.ready(3)
	b.await("the other one", func(s task.QueueStats) bool { return s.Workers == 2 })
	require.Equal(t, 1, proxy.Cut())
	for range 3 {
		receipt, attempt, p := other.task()
		require.Equal(t, 2, attempt)
		if number(p) != number(first.Payload) {
			other.say("A" + receipt)
		}
	}
	require.NoError(t, first.Ack(), "over the next connection")
	require.NoError(t, b.Drain(within(t)))
	require.NoError(t, other.Close())
	b.await("the end of the other one", func(s task.QueueStats) bool { return s.Workers == 1 })
	close(goOn)
	b.push(4)
	for n := 0; n != 4; {
		select {
		case got := <-taken:
			require.NoError(t, got.Ack())
			n = number(got.Payload)
		case <-within(t).Done():
			require.FailNow(t, "the worker is not known any more", "%+v", b.Stats())
		}
	}
	require.NoError(t, b.Drain(within(t)))
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

// A worker that vanishes without goodbye loses its tasks to another one at once, although their
// leases last, over every transport, whether or not the queue is told which one it was.
func TestVanishedWorker(t *testing.T) {
	t.Parallel()
	for _, tracked := range []bool{false, true} {
		t.Run(fmt.Sprint("tracked=", tracked), func(t *testing.T) {
			transports(t, func(t *testing.T, endpoint string) {
				if strings.HasPrefix(endpoint, "inproc:") {
					endpoint += fmt.Sprint(tracked)
				}
				b := newBedAt(t, endpoint, task.QueueConfig{Lease: time.Hour}, zmq.TrackPeers.To(tracked))
				for round := range 5 {
					vanishing, other, idle := b.raw(), b.raw(), b.raw()
					b.push(1, 2, 3)
					vanishing.ready(3)
					idle.ready(0)
					for range 3 {
						vanishing.task()
					}
					other.ready(2)
					require.NoError(t, vanishing.Close())
					for want := 1; want <= 2; want++ {
						receipt, attempt, p := other.task()
						require.Equal(t, want, number(p))
						require.Equal(t, 2, attempt)
						other.say("A" + receipt)
					}
					receipt, _, p := other.task()
					require.Equal(t, 3, number(p))
					other.say("A" + receipt)
					require.NoError(t, b.Drain(within(t)))
					require.NoError(t, other.Close())
					require.NoError(t, idle.Close())
					b.await("the end of all", func(s task.QueueStats) bool { return s.Workers == 0 })
					require.EqualValues(t, 3*(round+1), b.Stats().Acknowledged)
				}
			})
		})
	}
}
