package task_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/task"
)

// Every task is handled once and acknowledged when nothing fails, whatever the transport and
// however many goroutines push and handle.
func TestTasksAreHandledOnce(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		b := newBedAt(t, endpoint, task.QueueConfig{MaxPending: 50, Lease: time.Hour})
		n := scaled(6000)
		handled := make([]atomic.Int32, n)
		var workers, pushers sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for _, prefetch := range []int{0, 10, 200} {
			w := b.worker(task.WorkerConfig{Prefetch: prefetch})
			for range 2 {
				workers.Go(func() {
					err := work(ctx, w, func(got *task.Task) {
						handled[number(got.Payload)].Add(1)
						if err := got.Ack(); err != nil || got.Attempt != 1 {
							t.Errorf("attempt %d: %v", got.Attempt, err)
						}
					})
					if !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
				})
			}
		}
		for p := range 3 {
			pushers.Go(func() {
				for i := p; i < n; i += 3 {
					if err := b.Push(ctx, payload(i)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		pushers.Wait()
		require.NoError(t, b.Drain(within(t)))
		cancel()
		workers.Wait()
		for i := range handled {
			require.EqualValues(t, 1, handled[i].Load(), "task %d", i)
		}
		s := b.Stats()
		require.EqualValues(t, n, s.Acknowledged)
		require.Zero(t, s.Pending+s.UnderWay)
		require.Zero(t, s.Oldest)
		require.Zero(t, s.Late+s.Malformed+s.Dead)
		require.NoError(t, b.Close())
	})
}

// Push accepts MaxPending tasks without a worker, and then waits for room or its context.
func TestPushBlocksWhileTasksWait(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{MaxPending: 2})
	b.push(0, 1)
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := b.Push(short, payload(2))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, 2, b.Stats().Pending)
	require.Positive(t, b.Stats().Oldest)

	pushed := make(chan error, 2)
	for i := range 2 {
		go func() { pushed <- b.Push(within(t), payload(3+i)) }()
	}
	r := b.raw()
	r.ready(2)
	for range 2 {
		r.task() // which makes room, although it is not acknowledged
		require.NoError(t, <-pushed)
	}
	require.Equal(t, 2, b.Stats().Pending)
	require.Equal(t, 2, b.Stats().UnderWay)
}

// A context that is done ends Push before it accepts, even if there is room.
func TestPushAndDrainRefuseBadContexts(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{})
	done, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, b.Push(done, nil), context.Canceled)
	require.ErrorIs(t, b.Drain(done), context.Canceled)
	require.ErrorIs(t, b.Push(nil, nil), syscall.EINVAL) //nolint:staticcheck // this is tested
	require.ErrorIs(t, b.Drain(nil), syscall.EINVAL)     //nolint:staticcheck // this is tested
	require.NoError(t, b.Close())
}

// The caller may change the payload after Push.
func TestPushCopiesPayload(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{})
	p := []byte("before")
	require.NoError(t, b.Push(within(t), p))
	copy(p, "after!")
	require.NoError(t, b.Push(within(t), nil))
	w := b.worker(task.WorkerConfig{Prefetch: 2})
	tasks := take(t, w, 2)
	require.Equal(t, "before", string(tasks[0].Payload))
	require.Empty(t, tasks[1].Payload)
}

// A task whose lease ends goes to another worker, and the late acknowledgment of the first
// one counts once.
func TestLateAckCountsOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{Lease: 20 * time.Millisecond})
	slow, fast := b.raw(), b.raw()
	b.push(7)
	slow.ready(1)
	first, attempt, _ := slow.task()
	require.Equal(t, 1, attempt)
	slow.ready(0)
	fast.ready(1)
	second, attempt, p := fast.task()
	require.GreaterOrEqual(t, attempt, 2)
	require.Equal(t, 7, number(p))
	require.Equal(t, first[:8], second[:8])
	require.NotEqual(t, first, second)

	slow.say("A" + first)
	b.await("the late acknowledgment", func(s task.QueueStats) bool { return s.Acknowledged == 1 })
	fast.say("A" + second)
	b.await("the other one", func(s task.QueueStats) bool { return s.Late == 1 })
	s := b.Stats()
	require.EqualValues(t, 1, s.Acknowledged)
	require.Zero(t, s.Pending+s.UnderWay)
	require.NotZero(t, s.Redelivered)
	require.NoError(t, b.Drain(within(t)))
	require.NoError(t, b.Close())
}

// An acknowledgment that comes while the task waits for another delivery ends it.
func TestLateAckOfWaitingTask(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{Lease: 10 * time.Millisecond, MaxPending: 1})
	r := b.raw()
	b.push(1)
	r.ready(1)
	receipt, _, _ := r.task()
	r.ready(0)
	b.await("the end of the lease", func(s task.QueueStats) bool { return s.Pending == 1 && s.UnderWay == 0 })
	r.say("A" + receipt)
	b.await("the acknowledgment", func(s task.QueueStats) bool { return s.Acknowledged == 1 && s.Pending == 0 })
	b.push(2) // there is room again
	r.ready(1)
	_, _, p := r.task()
	require.Equal(t, 2, number(p))
}

// A lease that the worker extends does not end.
func TestExtendKeepsLease(t *testing.T) {
	t.Parallel()
	const lease = time.Second
	b := newBed(t, task.QueueConfig{Lease: lease})
	w := b.worker(task.WorkerConfig{})
	b.push(1)
	got := take(t, w, 1)[0]
	require.NoError(t, got.Extend(time.Hour))
	require.NoError(t, got.Extend(time.Millisecond), "which does not make it shorter")
	ends := time.Now().Add(5 * lease / 2)
	other := b.raw()
	other.ready(10)
	b.push(2)
	_, _, p := other.task()
	require.Equal(t, 2, number(p))
	for time.Now().Before(ends) {
		require.Equal(t, 1, b.Stats().UnderWay+b.Stats().Pending-1, "the task of the other one, and this")
		time.Sleep(lease / 10) // the time is what is tested
	}
	require.NoError(t, got.Ack())
	b.await("the acknowledgment", func(s task.QueueStats) bool { return s.Acknowledged == 1 })
}

// Extend says when it comes too late, and so do a second Ack and Nack.
func TestTaskEndsOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{Lease: 20 * time.Millisecond})
	w := b.worker(task.WorkerConfig{Prefetch: 3})
	b.push(1)
	first := take(t, w, 1)[0]
	require.ErrorIs(t, first.Extend(0), syscall.EINVAL)
	require.Eventually(t, func() bool { return errors.Is(first.Extend(time.Millisecond), zmq.ErrState) }, patience, 5*time.Millisecond)
	require.NoError(t, first.Ack(), "which counts nevertheless")
	for _, err := range []error{first.Ack(), first.Nack(nil), first.Extend(time.Hour)} {
		require.ErrorIs(t, err, zmq.ErrState)
	}
	b.await("the acknowledgment", func(s task.QueueStats) bool { return s.Acknowledged == 1 })
	b.push(2)
	second := take(t, w, 1)[0]
	require.NoError(t, w.Close())
	for _, err := range []error{second.Ack(), second.Nack(nil), second.Extend(time.Hour)} {
		require.ErrorIs(t, err, zmq.ErrClosed)
	}
	var none *task.Task
	require.Error(t, none.Ack())
	require.Error(t, new(task.Task).Nack(nil))
	require.Error(t, new(task.Task).Extend(1))
}

// A task is given to Dead after its last attempt, whatever ended it, with the reason. Others
// are not affected.
func TestDeadAfterAttempts(t *testing.T) {
	t.Parallel()
	type death struct {
		n, attempts int
		why         string
	}
	deaths := make(chan death, 10)
	b := newBed(t, task.QueueConfig{Lease: 1500 * time.Millisecond, MaxAttempts: 2, Dead: func(p []byte, attempts int, why error) {
		deaths <- death{number(p), attempts, why.Error()}
	}})
	r := b.raw()
	r.ready(1)
	b.push(1)
	for attempt := 1; attempt <= 2; attempt++ {
		receipt, got, _ := r.task()
		require.Equal(t, attempt, got)
		r.say("N"+receipt, "no disk")
	}
	require.Equal(t, death{1, 2, "no disk"}, <-deaths)
	b.push(2)
	for range 2 {
		r.task()
	}
	require.Equal(t, death{2, 2, "the lease ended before the worker acknowledged the task"}, <-deaths)
	b.push(3)
	receipt, _, _ := r.task()
	r.say("N" + receipt)
	receipt, _, _ = r.task()
	r.say("A" + receipt)
	require.NoError(t, b.Drain(within(t)))
	s := b.Stats()
	require.EqualValues(t, 2, s.Dead)
	require.EqualValues(t, 1, s.Acknowledged)
	require.EqualValues(t, 3, s.Redelivered)
	require.Empty(t, deaths)
	require.NoError(t, b.Close())
}

// Dead is called without locks, once at a time, and may use the queue. Drain waits for it.
func TestDeadMayUseQueue(t *testing.T) {
	t.Parallel()
	var b *bed
	var running, calls atomic.Int32
	letters := newBed(t, task.QueueConfig{MaxPending: 100})
	b = newBed(t, task.QueueConfig{MaxPending: 2, MaxAttempts: 1, Dead: func(p []byte, _ int, _ error) {
		if running.Add(1) != 1 {
			t.Error("two calls at a time")
		}
		_ = b.Stats()
		if err := letters.Push(context.Background(), p); err != nil {
			t.Error(err)
		}
		calls.Add(1)
		running.Add(-1)
	}})
	w := b.worker(task.WorkerConfig{Prefetch: 10})
	done := make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- work(ctx, w, func(got *task.Task) { _ = got.Nack(nil) }) }()
	for i := range 50 {
		b.push(i)
	}
	require.NoError(t, b.Drain(within(t)))
	require.EqualValues(t, 50, calls.Load())
	require.EqualValues(t, 50, b.Stats().Dead)
	require.Equal(t, 50, letters.Stats().Pending)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

// A Dead that ends its goroutine, as a failing assertion in a test does, ends its task only.
func TestDeadEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{MaxAttempts: 1, Dead: func([]byte, int, error) { runtime.Goexit() }})
	r := b.raw()
	r.ready(2)
	b.push(1, 2)
	for range 2 {
		receipt, _, _ := r.task()
		r.say("N" + receipt)
	}
	require.NoError(t, b.Drain(within(t)))
	require.EqualValues(t, 2, b.Stats().Dead)
	require.Zero(t, b.Stats().Pending)
	require.NoError(t, b.Close())
}

// A Dead that takes its time holds up neither the queue nor Close, which names the tasks that
// wait for Dead, but not the one that it has.
func TestSlowDead(t *testing.T) {
	t.Parallel()
	begun, release := make(chan int, 10), make(chan struct{})
	b := newBed(t, task.QueueConfig{MaxAttempts: 1, Dead: func(p []byte, _ int, _ error) {
		begun <- number(p)
		<-release
	}})
	r := b.raw()
	r.ready(1)
	b.push(1, 2, 3)
	for i := range 3 {
		receipt, _, _ := r.task()
		if i < 2 {
			r.say("N" + receipt)
		} else {
			r.say("A" + receipt)
		}
	}
	b.await("the acknowledgment", func(s task.QueueStats) bool { return s.Acknowledged == 1 })
	first := <-begun
	err := b.Close()
	var left *task.PendingError
	require.ErrorAs(t, err, &left)
	require.Equal(t, [][]byte{payload(3 - first)}, left.Payloads)
	close(release)
	require.Never(t, func() bool { return len(begun) > 0 }, 20*time.Millisecond, time.Millisecond)
}

// Drain waits for what was accepted before it, and not for later tasks.
func TestDrainWhilePushGoesOn(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{})
	r := b.raw()
	require.NoError(t, b.Drain(within(t)))
	b.push(1, 2)
	drained := make(chan error, 1)
	begun := make(chan struct{})
	go func() {
		close(begun)
		drained <- b.Drain(within(t))
	}()
	<-begun
	r.ready(1)
	first, _, _ := r.task()
	r.say("A" + first)
	second, _, _ := r.task()
	require.Never(t, func() bool { return len(drained) > 0 }, 20*time.Millisecond, time.Millisecond)
	b.push(3)
	r.say("A" + second)
	require.NoError(t, <-drained)
	require.Equal(t, 1, b.Stats().Pending+b.Stats().UnderWay)

	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, b.Drain(short), context.DeadlineExceeded)
	go func() { drained <- b.Drain(within(t)) }()
	err := b.Close()
	require.ErrorContains(t, err, "1 tasks")
	require.ErrorIs(t, <-drained, zmq.ErrClosed)
}
