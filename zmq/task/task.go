package task

import (
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// Task is a delivery of a task to a worker. Any goroutine may call its methods, also after
// the loop over Worker.Tasks has ended. Each delivery ends with one Ack or Nack.
type Task struct {
	Payload []byte // the receiver owns it
	Attempt int    // 1 for the first delivery; those given back unbegun do not count

	worker     *Worker
	receipt    [receiptSize]byte
	lease, due time.Duration // when the lease ends, a little after the queue lets it end
	ended      bool
}

// Ack tells the queue that the task is done. It does not block, and returns before the
// queue knows: the worker sends acknowledgments together, within a millisecond. If the
// connection breaks at that moment, the task is delivered again. Ack counts after the end
// of the lease as well, but another worker may have the task by then. The error is ErrState
// after an Ack or Nack, and ErrClosed if the Worker is closed.
func (t *Task) Ack() error {
	return t.use("ack", func(w *Worker) error {
		t.ended = true
		w.acks = append(w.acks, t.receipt[:]...)
		switch n := len(w.acks) / receiptSize; {
		case n >= ackMost || w.waiting > 0:
			w.send()
		case n == 1:
			w.flush.Reset(ackDelay)
		}
		return nil
	})
}

// Nack tells the queue that this attempt has failed. The task is delivered again, after
// those that wait, or given to Dead with the first 1024 bytes of the text of why, which may
// be nil. Nack does not block. Besides the errors of Ack, it returns ErrAgain if the queue
// is away and the socket has no room, and may then be called again. After the end of the
// lease, the queue ignores it.
func (t *Task) Nack(why error) error {
	reason := ""
	if why != nil {
		reason = why.Error()
	}
	return t.use("nack", func(w *Worker) error {
		err := say(w.dealer, append([]byte{cmdNack}, t.receipt[:]...), []byte(reason[:min(len(reason), maxReason)]))
		t.ended = err == nil
		return err
	})
}

// Extend lets the lease last until d from now, if it would end before. It does not block.
// The error is ErrState if the lease has ended, because another worker may have the task by
// then. It is EINVAL if d is not positive. Besides, it returns the errors of Nack.
func (t *Task) Extend(d time.Duration) error {
	return t.use("extend", func(w *Worker) error {
		if d <= 0 {
			return invalid("the duration is not positive")
		}
		if t.due <= time.Since(w.start) {
			return fmt.Errorf("zmq: extend: the lease of the task has ended: %w", zmq.ErrState)
		}
		return t.extend(d)
	})
}

// use calls f with the lock of the worker, unless the delivery has ended.
func (t *Task) use(op string, f func(*Worker) error) error {
	if t == nil || t.worker == nil {
		return errClosed
	}
	t.worker.mu.Lock()
	defer t.worker.mu.Unlock()
	switch {
	case t.worker.err != nil:
		return t.worker.err
	case t.ended:
		return fmt.Errorf("zmq: %s: the task was acknowledged or refused before: %w", op, zmq.ErrState)
	}
	return f(t.worker)
}

// extend tells the queue. The lock of the worker is held.
func (t *Task) extend(d time.Duration) error {
	err := say(t.worker.dealer, append(milliseconds([]byte{cmdExtend}, d), t.receipt[:]...))
	if err == nil {
		t.due = max(t.due, time.Since(t.worker.start)+d)
	}
	return err
}
