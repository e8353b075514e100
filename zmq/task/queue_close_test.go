package task_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/task"
)

// Close returns what is neither acknowledged nor dead, in the order of Push, and ends all
// calls. An acknowledgment that has arrived counts.
func TestCloseSaysWhatIsPending(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{MaxPending: 4})
	r := b.raw()
	r.ready(3)
	b.push(1, 2, 3)
	for range 3 {
		receipt, _, p := r.task()
		if number(p) == 2 {
			r.say("A" + receipt)
		}
	}
	b.await("the acknowledgment", func(s task.QueueStats) bool { return s.Acknowledged == 1 })
	r.quiet()
	b.push(4, 5, 6, 7)
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			if err := b.Push(context.Background(), payload(9)); !errors.Is(err, zmq.ErrClosed) {
				t.Error(err)
			}
		})
	}
	err := b.Close()
	group.Wait()
	var left *task.PendingError
	require.ErrorAs(t, err, &left)
	require.Equal(t, [][]byte{payload(1), payload(3), payload(4), payload(5), payload(6), payload(7)}, left.Payloads)
	require.NoError(t, b.Close())
	require.ErrorIs(t, b.Push(within(t), nil), zmq.ErrClosed)
	require.ErrorIs(t, b.Push(within(t), nil), syscall.ENOTSOCK)
	require.Zero(t, b.Stats().Pending+b.Stats().UnderWay)
	for m, err := range r.Messages(within(t)) { // the worker hears of it
		require.NoError(t, err)
		if string(m[0].Bytes()) == "B" {
			break
		}
	}
}

// Close during everything else loses no task: each one is acknowledged, or pending.
func TestCloseDuringEverything(t *testing.T) {
	t.Parallel()
	for range scaled(20) {
		var dead atomic.Int32
		b := newBed(t, task.QueueConfig{MaxPending: 10, Lease: time.Millisecond * 5, MaxAttempts: 2, Dead: func([]byte, int, error) { dead.Add(1) }})
		var accepted atomic.Int32
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				for b.Push(context.Background(), payload(1)) == nil {
					accepted.Add(1)
				}
			})
			group.Go(func() {
				for b.Drain(context.Background()) == nil {
					_ = b.Stats()
				}
			})
			w := b.worker(task.WorkerConfig{Prefetch: 5})
			group.Go(func() {
				_ = work(context.Background(), w, func(got *task.Task) {
					switch got.Attempt % 2 {
					case 0:
						_ = got.Nack(nil)
					default:
						_ = got.Ack()
					}
				})
			})
			group.Go(func() {
				for b.Stats().Acknowledged < 30 {
					time.Sleep(time.Millisecond)
				}
				if err := w.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		b.await("some work", func(s task.QueueStats) bool { return s.Acknowledged >= 30 })
		err := b.Close()
		pending := 0
		var left *task.PendingError
		if errors.As(err, &left) {
			pending = len(left.Payloads)
		} else {
			require.NoError(t, err)
		}
		group.Wait()
		s := b.Stats()
		require.EqualValues(t, accepted.Load(), int(s.Acknowledged+s.Dead)+pending)
		require.Eventually(t, func() bool { return uint64(dead.Load()) == s.Dead }, patience, time.Millisecond)
	}
}

// The end of the socket or of its context ends Push, Drain and Tasks with that error, and
// Close still says what is pending.
func TestSocketEnds(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	router := newSocket(t, zctx, zmq.Router)
	require.NoError(t, router.Bind("inproc://ends"))
	q, err := task.NewQueue(router, task.QueueConfig{MaxPending: 1})
	require.NoError(t, err)
	w := newWorkerAt(t, zctx, "inproc://ends", task.WorkerConfig{})
	require.NoError(t, q.Push(t.Context(), payload(1)))
	errs := make(chan error, 3)
	b := &bed{Queue: q, t: t}
	go func() { errs <- work(context.Background(), w, func(*task.Task) {}) }()
	b.await("a task under way", func(s task.QueueStats) bool { return s.UnderWay == 1 })
	require.NoError(t, q.Push(t.Context(), payload(2)))
	go func() { errs <- q.Push(context.Background(), payload(3)) }()
	go func() { errs <- q.Drain(context.Background()) }()
	require.NoError(t, zctx.Shutdown())
	for range 3 {
		require.ErrorIs(t, <-errs, zmq.ErrTerminated)
	}
	require.ErrorIs(t, q.Push(t.Context(), nil), zmq.ErrTerminated)
	var left *task.PendingError
	require.ErrorAs(t, q.Close(), &left)
	require.Len(t, left.Payloads, 2)
	require.NoError(t, w.Close())
}

// Workers with room get one task each in turn.
func TestWorkersTakeTurns(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{})
	workers := []raw{b.raw(), b.raw(), b.raw()}
	for i, w := range workers {
		w.ready([]uint32{100, 100, 2}[i])
	}
	b.await("the workers", func(s task.QueueStats) bool { return s.Workers == 3 })
	for i := range 22 {
		b.push(i)
	}
	counts := make([]int, 3)
	for i, want := range []int{10, 10, 2} {
		for range want {
			workers[i].task()
			counts[i]++
		}
	}
	for _, w := range workers {
		w.quiet()
	}
}

// Impossible configurations are refused, and nil queues and workers do no harm.
func TestRefused(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	router, dealer := newSocket(t, zctx, zmq.Router), newSocket(t, zctx, zmq.Dealer)
	for _, config := range []task.QueueConfig{{MaxPending: -1}, {Lease: -1}, {MaxAttempts: -1}, {MaxAttempts: 1}} {
		_, err := task.NewQueue(router, config)
		require.ErrorIs(t, err, syscall.EINVAL, "%+v", config)
	}
	for _, config := range []task.WorkerConfig{{Prefetch: -1}, {Prefetch: math.MaxUint16 + 1}, {Heartbeat: -1}, {Silence: -1}} {
		_, err := task.NewWorker(dealer, config)
		require.ErrorIs(t, err, syscall.EINVAL, "%+v", config)
	}
	_, err := task.NewQueue(dealer, task.QueueConfig{})
	require.ErrorContains(t, err, "not a DEALER")
	_, err = task.NewWorker(router, task.WorkerConfig{})
	require.ErrorContains(t, err, "not a ROUTER")
	_, err = task.NewQueue(nil, task.QueueConfig{})
	require.ErrorIs(t, err, syscall.ENOTSOCK)
	_, err = task.NewWorker(nil, task.WorkerConfig{})
	require.ErrorIs(t, err, syscall.ENOTSOCK)
	require.NoError(t, router.Close())
	_, err = task.NewQueue(router, task.QueueConfig{})
	require.ErrorIs(t, err, zmq.ErrClosed)
	for _, q := range []*task.Queue{nil, {}} {
		require.ErrorIs(t, q.Push(t.Context(), nil), zmq.ErrClosed)
		require.ErrorIs(t, q.Drain(t.Context()), zmq.ErrClosed)
		require.Zero(t, q.Stats())
		require.NoError(t, q.Close())
	}
	for _, w := range []*task.Worker{nil, {}} {
		require.ErrorIs(t, work(t.Context(), w, nil), zmq.ErrClosed)
		require.NoError(t, w.Close())
	}
}
