package task

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// WorkerConfig sets how a Worker gets tasks. The zero value is ready for use.
type WorkerConfig struct {
	// Prefetch limits the tasks that the worker holds without having acknowledged them,
	// including those that no loop has taken yet. 0 means 1, and the maximum is 65535. To be
	// busy all the time, a worker needs a few dozen if tasks are short. With a large number,
	// other workers may be idle meanwhile, and more tasks are delivered again if this worker
	// vanishes.
	Prefetch int
	// Heartbeat is how often the worker announces itself, which the queue answers. 0 means
	// 1 s.
	Heartbeat time.Duration
	// Silence is how long the queue may be silent before Tasks yields an error. It should be
	// several times Heartbeat. 0 means forever: the worker waits for the queue.
	Silence time.Duration
}

// Worker takes tasks from a Queue. Any number of goroutines may use it at the same time.
// Create one with NewWorker and close it with Close.
type Worker struct {
	dealer  *zmq.Socket
	monitor *zmq.Monitor
	config  WorkerConfig
	start   time.Time
	ctx     context.Context
	cancel  context.CancelFunc
	group   sync.WaitGroup

	mu      sync.Mutex
	arrived sync.Cond     // there may be something for a loop that waits
	err     error         // why there are no more tasks
	loops   int           // over Tasks
	waiting int           // of them, those that wait
	held    []*Task       // those that no loop has taken
	lease   time.Duration // of the task that came last
	heard   time.Duration // when the last message came; times are counted from start
	stepped time.Duration // when a loop took the last step
	tended  time.Duration // when tend ran
	beat    time.Duration // when the next heartbeat is due
	stalled bool          // no loop has taken a step for a lease
	acks    []byte        // the message that acknowledges
	flush   *time.Timer   // sends it
}

const (
	ackDelay = time.Millisecond / 2 // acknowledgments that come within it share a message
	ackMost  = 32                   // so many are sent at once
)

var errSilence = &zmq.Error{Op: "task", Errno: syscall.EAGAIN, Detail: "nothing has come from the queue for the time that WorkerConfig.Silence allows"}

// NewWorker creates a Worker on a DEALER socket, which the caller connects to one queue,
// before or after this call. If the call succeeds, the socket belongs to the Worker: the
// program must not send or receive on it, or close it. The Worker sets RecvTimeout.
// NewWorker does not block. It fails with EINVAL for another type of socket, and for a
// number out of range.
//
// Set zmq.Heartbeat on the DEALER, so that it reconnects when the host or the network of the
// queue fails without a word.
func NewWorker(dealer *zmq.Socket, config WorkerConfig) (*Worker, error) {
	switch t := dealer.Type(); {
	case dealer != nil && t != zmq.Dealer:
		return nil, invalid("a Worker needs a DEALER socket, not a " + t.String())
	case config.Prefetch < 0 || config.Prefetch > maxWindow || config.Heartbeat < 0 || config.Silence < 0:
		return nil, invalid("a number of the WorkerConfig is out of range")
	}
	config.Prefetch, config.Heartbeat = cmp.Or(config.Prefetch, 1), cmp.Or(config.Heartbeat, time.Second)
	if err := dealer.Set(zmq.RecvTimeout.To(config.Heartbeat)); err != nil {
		return nil, err
	}
	monitor, err := dealer.Monitor(zmq.EventHandshakeSucceeded | zmq.EventDisconnected)
	if err != nil {
		return nil, err
	}
	w := &Worker{dealer: dealer, monitor: monitor, config: config, start: time.Now(), acks: []byte{cmdAck}}
	w.arrived.L = &w.mu
	w.flush = time.AfterFunc(time.Hour, func() { w.locked(w.send) })
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.group.Go(w.receive)
	w.group.Go(w.watch)
	return w, nil
}

func (w *Worker) locked(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

// Tasks returns an iterator over the tasks that the queue gives to this worker. Several
// goroutines may iterate over one Worker; each task goes to one of them. The worker asks
// for tasks while there is a loop. It gives those that no loop took back to the queue when
// the last loop ends, or when no loop has taken a step for the time of a lease.
//
// Each step blocks until a task arrives. It keeps waiting while the queue is away or
// restarts, and leaves out tasks whose lease ended meanwhile. With WorkerConfig.Silence it
// yields zmq.ErrAgain when that time has passed, and the loop may go on. After any other
// error the loop ends: one that wraps ctx.Err(), zmq.ErrClosed if the Worker is closed,
// zmq.ErrTerminated if the context of its socket is shut down, and EINVAL if ctx is nil.
func (w *Worker) Tasks(ctx context.Context) iter.Seq2[*Task, error] {
	return func(yield func(*Task, error) bool) {
		if w == nil || w.dealer == nil || ctx == nil {
			yield(nil, cmp.Or(ended(ctx), error(errClosed)))
			return
		}
		defer context.AfterFunc(ctx, func() { w.locked(w.arrived.Broadcast) })()
		w.locked(func() { w.enter(1) })
		defer w.locked(func() { w.enter(-1) })
		for {
			t, err := w.next(ctx)
			if !yield(t, err) || err != nil && err != errSilence {
				return
			}
		}
	}
}

// enter counts a loop that begins or ends. w.mu is held.
func (w *Worker) enter(change int) {
	if w.loops += change; w.loops == max(change, 0) { // the first or the last
		w.heard = time.Since(w.start) // a silence begins when there is somebody to tell
		w.announce()
		w.giveBack()
	}
	w.arrived.Signal() // another loop may have what this one was woken for
}

// next returns the next task of a loop.
func (w *Worker) next(ctx context.Context) (*Task, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		now := time.Since(w.start)
		w.stepped = now
		if w.stalled {
			w.stalled = false
			w.announce()
		}
		switch {
		case ctx.Err() != nil:
			return nil, ended(ctx)
		case w.err != nil:
			return nil, w.err
		case w.config.Silence > 0 && now-w.heard > w.config.Silence:
			w.heard = now
			return nil, errSilence
		}
		for len(w.held) > 0 {
			t := w.held[0]
			w.held[0], w.held = nil, w.held[1:]
			if t.due <= now {
				continue
			}
			if t.due-now < t.lease*3/4 { // so that it has most of its time
				_ = t.extend(t.lease)
			}
			return t, nil
		}
		w.send()
		w.waiting++
		w.arrived.Wait()
		w.waiting--
	}
}

// Close gives all tasks that are not acknowledged back to the queue and closes the socket.
// What was acknowledged before is still sent, for as long as the socket lingers. Loops over
// Tasks end with zmq.ErrClosed; Close does not wait for them. Further calls do nothing.
//
// Implements: zmq_close.
func (w *Worker) Close() error {
	if w == nil || w.dealer == nil {
		return nil
	}
	w.fail(errClosed)
	w.cancel()
	w.group.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flush.Stop()
	w.send()
	w.giveBack()
	_ = say(w.dealer, []byte{cmdBye})
	return errors.Join(w.monitor.Close(), w.dealer.Close())
}

// fail ends all loops.
func (w *Worker) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = cmp.Or(w.err, err)
	w.arrived.Broadcast()
}

// receive takes what the queue says and tends the worker, until it is closed or the socket
// fails.
func (w *Worker) receive() {
	b := zmq.NewBatch(128)
	defer b.Close()
	for {
		_, err := w.dealer.RecvBatch(w.ctx, b)
		if err != nil && !errors.Is(err, zmq.ErrAgain) {
			if w.ctx.Err() == nil {
				w.fail(err)
			}
			return
		}
		w.mu.Lock()
		for _, m := range b.All() {
			w.heard = time.Since(w.start)
			w.hear(m)
		}
		w.tend(time.Since(w.start))
		w.mu.Unlock()
	}
}

// watch looks at the connection. When it breaks, the queue delivers the tasks again, so
// those that no loop has taken are given back. When there is a new one, the queue has to
// know the worker.
func (w *Worker) watch() {
	for e, err := range w.monitor.Events(w.ctx) {
		switch {
		case err != nil:
			return
		case e.Event == zmq.EventDisconnected:
			w.locked(w.giveBack)
		default:
			w.locked(w.announce)
		}
	}
}

// hear enters one message. Messages that are not of the protocol are ignored. w.mu is held,
// here and below.
func (w *Worker) hear(m zmq.Multipart) {
	head := m[0].Bytes()
	switch {
	case len(m) == 2 && len(head) == taskSize && head[0] == cmdTask:
		lease := time.Duration(bigEndian.Uint32(head[taskSize-4:])) * time.Millisecond
		if lease != w.lease { // fails if the next receive does
			w.lease = lease
			_ = w.dealer.Set(zmq.RecvTimeout.To(w.tick()))
		}
		t := &Task{Payload: slices.Clone(m[1].Bytes()), Attempt: int(bigEndian.Uint32(head[1+receiptSize:])), worker: w}
		t.receipt, t.lease, t.due = [receiptSize]byte(head[1:]), lease, w.heard+lease
		w.held = append(w.held, t)
		if w.arrived.Signal(); w.loops == 0 || w.stalled {
			w.announce()
			w.giveBack()
		}
	case len(m) == 1 && len(head) == 1 && head[0] == cmdBye:
		w.held = nil // the queue has given them up
	}
}

// tend announces the worker, keeps the leases of tasks that no loop has taken, and lets
// loops notice silence.
func (w *Worker) tend(now time.Duration) {
	if now < w.tended+w.tick()/2 {
		return
	}
	w.tended = now
	w.send()
	if w.loops == 0 {
		return
	}
	if w.waiting == 0 && w.lease > 0 && now-w.stepped > w.lease && !w.stalled {
		w.stalled = true
		w.announce()
		w.giveBack()
	}
	if now >= w.beat {
		w.beat = now + w.config.Heartbeat
		w.announce()
	}
	for _, t := range w.held {
		if now < t.due && t.due-now < t.lease/2 {
			_ = t.extend(t.lease)
		}
	}
	w.arrived.Broadcast()
}

// tick is how often a lease has to be looked at, and a heartbeat to be sent.
func (w *Worker) tick() time.Duration {
	if w.lease == 0 {
		return w.config.Heartbeat
	}
	return min(w.config.Heartbeat, max(w.lease/4, time.Millisecond))
}

// announce says how many tasks the worker wants at a time. If that fails, the next heartbeat
// repeats it.
func (w *Worker) announce() {
	window := 0
	if w.loops > 0 && !w.stalled {
		window = w.config.Prefetch
	}
	_ = say(w.dealer, bigEndian.AppendUint32([]byte{cmdReady}, uint32(window)))
}

// giveBack returns what no loop has taken to the queue. If that fails, the leases end.
func (w *Worker) giveBack() {
	m := []byte{cmdReturn}
	for _, t := range w.held {
		m = append(m, t.receipt[:]...)
	}
	if w.held = nil; len(m) > 1 {
		_ = say(w.dealer, m)
	}
}

// send sends the acknowledgments, or keeps them until the socket has room.
func (w *Worker) send() {
	if len(w.acks) > 1 && !errors.Is(say(w.dealer, w.acks), zmq.ErrAgain) {
		w.acks = w.acks[:1]
	}
}
