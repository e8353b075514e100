package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// QueueConfig sets the limits of a Queue. The zero value is ready for use.
type QueueConfig struct {
	// MaxPending is how many tasks wait for a worker before Push blocks. 0 means 1000. In
	// addition, each worker has as many tasks under way as it asks for.
	MaxPending int
	// Lease is how long a worker may hold a task without acknowledging it or extending the
	// lease. After that the task is delivered again. 0 means 30 s.
	Lease time.Duration
	// MaxAttempts is how often a task is delivered before it is given to Dead, which must be
	// set. 0 means no limit. Tasks that a worker gave back unbegun do not count. Those of a
	// worker that vanished all do, because nobody knows which of them it had begun.
	MaxAttempts int
	// Dead is called for each task that failed MaxAttempts times, with the reason for the last
	// failure, and owns the payload. The Queue makes one call at a time, on a goroutine of its
	// own and without holding a lock. Tasks that wait for Dead count as pending, so Dead must
	// not block in Push or Drain of this Queue.
	Dead func(payload []byte, attempts int, why error)
}

// QueueStats describes a Queue.
type QueueStats struct {
	Pending      int           // tasks that wait for a worker
	UnderWay     int           // tasks that a worker has
	Workers      int           // workers that have announced themselves and have not left
	Oldest       time.Duration // the time since the oldest unfinished task was pushed, or 0
	Acknowledged uint64        // tasks that are done; each counts once
	Redelivered  uint64        // deliveries after the first one of a task
	Dead         uint64        // tasks given to Dead
	Late         uint64        // answers to deliveries that were not under way any more, or never
	Malformed    uint64        // messages that are not of the protocol
}

// PendingError is the error of Close if tasks are left. A worker may have handled some of
// them, if its acknowledgment was still on its way.
type PendingError struct {
	Payloads [][]byte // in the order of Push; the receiver of the error owns them
}

// Error returns a text that contains the number of tasks.
func (e *PendingError) Error() string {
	return fmt.Sprintf("zmq: close: %d tasks of the queue are not acknowledged", len(e.Payloads))
}

// Queue gives tasks to workers until they are acknowledged. Any number of goroutines may
// use it at the same time. Create one with NewQueue and close it with Close.
type Queue struct {
	router  *zmq.Socket
	monitor *zmq.Monitor
	config  QueueConfig
	start   time.Time
	ctx     context.Context
	cancel  context.CancelFunc
	group   sync.WaitGroup
	burial  sync.Mutex // held during a call of Dead

	mu      sync.Mutex
	room    sync.Cond // fewer than MaxPending items wait
	drained sync.Cond // a drain has nothing left
	err     error     // why no task is accepted any more
	pushed  uint64
	items   map[uint64]*item // unfinished
	pending []*item          // in turn, those that wait, and some that were acknowledged late
	waiting int              // items that wait for a worker or for Dead
	peers   map[string]*peer
	probes  int     // how often to look for workers that have left
	ready   []*peer // in turn, those that have room, and some that have none any more
	drains  map[*drain]bool
	stats   QueueStats
}

// A drain waits until the items up to a number are finished.
type drain struct {
	last uint64
	left int
}

// NewQueue creates a Queue on a ROUTER socket, which the caller binds or connects before or
// after this call. If the call succeeds, the socket belongs to the Queue: the program must
// not send or receive on it, or close it. The Queue sets RouterMandatory and RecvTimeout.
// NewQueue does not block. It fails with EINVAL for another type of socket, for negative
// numbers, and for MaxAttempts without Dead.
//
// Set zmq.Heartbeat on the ROUTER, so that it notices workers whose host or network fails
// without a word. With zmq.TrackPeers it learns at once which worker has left. Without, it has
// to find out, which takes up to a few tenths of a second but costs nothing per message.
func NewQueue(router *zmq.Socket, config QueueConfig) (*Queue, error) {
	switch t := router.Type(); {
	case router != nil && t != zmq.Router:
		return nil, invalid("a Queue needs a ROUTER socket, not a " + t.String())
	case config.MaxPending < 0 || config.Lease < 0 || config.MaxAttempts < 0:
		return nil, invalid("a number of the QueueConfig is negative")
	case config.MaxAttempts > 0 && config.Dead == nil:
		return nil, invalid("MaxAttempts needs a function Dead; without it, tasks would be lost")
	}
	config.MaxPending, config.Lease = cmp.Or(config.MaxPending, 1000), cmp.Or(config.Lease, 30*time.Second)
	tick := max(time.Millisecond, min(config.Lease/16, 100*time.Millisecond))
	if err := router.Set(zmq.RouterMandatory.To(true), zmq.RecvTimeout.To(tick)); err != nil {
		return nil, err
	}
	monitor, err := router.Monitor(zmq.EventPeerLeft | zmq.EventDisconnected)
	if err != nil {
		return nil, err
	}
	q := &Queue{
		router: router, monitor: monitor, config: config, start: time.Now(),
		items: map[uint64]*item{}, peers: map[string]*peer{}, drains: map[*drain]bool{},
	}
	q.room.L, q.drained.L = &q.mu, &q.mu
	q.ctx, q.cancel = context.WithCancel(context.Background())
	q.group.Go(func() { q.receive(tick) })
	q.group.Go(q.watch)
	return q, nil
}

// await waits while an operation is blocked. q.mu is held.
func (q *Queue) await(ctx context.Context, cond *sync.Cond, blocked func() bool) error {
	if blocked() {
		defer context.AfterFunc(ctx, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			cond.Broadcast()
		})()
	}
	for q.err == nil && blocked() {
		if err := ended(ctx); err != nil {
			return err
		}
		cond.Wait()
	}
	return q.err
}

// Push accepts a task, whose payload is copied. From then on it is acknowledged, or given
// to Dead, or among the tasks that the error of Close has.
//
// Push blocks while MaxPending tasks wait, whether or not there are workers. The error
// wraps ctx.Err() if ctx is done first. It is zmq.ErrClosed if the Queue was closed,
// zmq.ErrTerminated if the context of its socket was shut down, and EINVAL if ctx is nil.
// After an error the task was not accepted.
func (q *Queue) Push(ctx context.Context, payload []byte) error {
	if q == nil || q.router == nil {
		return errClosed
	}
	if err := ended(ctx); err != nil {
		return err
	}
	it := &item{payload: append([]byte{}, payload...)}
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.await(ctx, &q.room, func() bool { return q.waiting >= q.config.MaxPending }); err != nil {
		q.room.Signal() // another Push may have what this one was woken for
		return err
	}
	for it.id == 0 || q.items[it.id] != nil {
		it.id = rand.Uint64() // of a generator that cannot be predicted, ChaCha8
	}
	q.items[it.id] = it
	q.pushed++
	q.waiting++
	it.number, it.since = q.pushed, time.Since(q.start)
	q.pending = append(q.pending, it)
	q.pump()
	return nil
}

// Drain waits until every task that was accepted before the call is acknowledged, or Dead
// has returned for it. Push may go on meanwhile. The error wraps ctx.Err() if ctx is done
// first. It is zmq.ErrClosed if the Queue is closed, zmq.ErrTerminated if the context of
// its socket is shut down, and EINVAL if ctx is nil.
func (q *Queue) Drain(ctx context.Context) error {
	if q == nil || q.router == nil {
		return errClosed
	}
	if err := ended(ctx); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	d := &drain{last: q.pushed, left: len(q.items)}
	q.drains[d] = true
	defer delete(q.drains, d)
	return q.await(ctx, &q.drained, func() bool { return d.left > 0 })
}

// Stats returns what the queue holds and has done. It does not block, and takes time in
// proportion to the number of unfinished tasks.
func (q *Queue) Stats() QueueStats {
	if q == nil || q.router == nil {
		return QueueStats{}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.stats
	s.Workers = len(q.peers)
	for _, it := range q.items {
		switch {
		case it.worker != nil:
			s.UnderWay++
		case !it.dead:
			s.Pending++
		}
		s.Oldest = max(s.Oldest, time.Since(q.start)-it.since)
	}
	return s
}

// Close stops the queue, tells its workers, and closes the socket. Calls that are blocked in
// Push or Drain return zmq.ErrClosed. Close does not wait for acknowledgments, which Drain
// does, nor for a running call of Dead. If tasks are neither acknowledged nor given to Dead,
// the error is a *PendingError that has them. Further calls do nothing.
//
// Implements: zmq_close.
func (q *Queue) Close() error {
	if q == nil || q.router == nil {
		return nil
	}
	q.cancel()
	q.group.Wait()
	q.fail(errClosed)
	q.mu.Lock()
	defer q.mu.Unlock()
	left := &PendingError{}
	for _, it := range q.sorted(func(it *item) bool { return !it.buried }) {
		left.Payloads = append(left.Payloads, it.payload)
		delete(q.items, it.id)
	}
	for id, w := range q.peers {
		_ = say(q.router, w.id, []byte{cmdBye})
		delete(q.peers, id)
	}
	err := errors.Join(q.monitor.Close(), q.router.Close())
	if len(left.Payloads) > 0 {
		return left
	}
	return err
}

// fail ends the acceptance of tasks.
func (q *Queue) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.err = cmp.Or(q.err, err)
	q.room.Broadcast()
	q.drained.Broadcast()
}
