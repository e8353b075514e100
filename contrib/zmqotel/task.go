package zmqotel

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"

	"github.com/go-zmq/go-zmq/zmq/task"
)

// Push pushes a task in a producer span, with the span's context in front of the payload. It
// otherwise behaves like task.Queue.Push.
func (t *Telemetry) Push(ctx context.Context, q *task.Queue, payload []byte) (err error) {
	ctx, span := t.start(ctx, sending, len(payload))
	defer func() { end(span, err) }()
	return q.Push(ctx, t.wrap(ctx, payload))
}

// Process calls work with a task's payload in a consumer span, whose parent is the span of Push.
// It acknowledges the task if work returns nil, and otherwise gives it back with the error. The
// error joins that of work and that of Ack or Nack.
func (t *Telemetry) Process(ctx context.Context, w *task.Task, work func(ctx context.Context, payload []byte) error) (err error) {
	ctx, payload := t.unwrap(ctx, w.Payload)
	ctx, span := t.start(ctx, processing, len(payload), attribute.Int("zmq.task.attempt", w.Attempt))
	defer func() { end(span, err) }()
	if err := work(ctx, payload); err != nil {
		return errors.Join(err, w.Nack(err))
	}
	return w.Ack()
}
