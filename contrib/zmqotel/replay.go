package zmqotel

import (
	"context"
	"strconv"

	"go.opentelemetry.io/otel/attribute"

	"github.com/go-zmq/go-zmq/zmq/replay"
)

// Publish publishes a message in a producer span, with the span's context in front of the
// payload. It otherwise behaves like replay.Publisher.Publish.
func (t *Telemetry) Publish(ctx context.Context, p *replay.Publisher, payload []byte) (seq uint64, err error) {
	ctx, span := t.start(ctx, sending, len(payload))
	defer func() { end(span, err) }()
	seq, err = p.Publish(ctx, t.wrap(ctx, payload))
	span.SetAttributes(messageID(seq))
	return seq, err
}

// Deliver calls work with a message's payload in a consumer span, whose parent is the span of
// Publish. It returns the error of work.
func (t *Telemetry) Deliver(ctx context.Context, m replay.Message, work func(ctx context.Context, payload []byte) error) (err error) {
	ctx, payload := t.unwrap(ctx, m.Payload)
	ctx, span := t.start(ctx, processing, len(payload), messageID(m.Seq), attribute.Bool("zmq.replayed", m.Replayed))
	defer func() { end(span, err) }()
	return work(ctx, payload)
}

func messageID(seq uint64) attribute.KeyValue {
	return attribute.String("messaging.message.id", strconv.FormatUint(seq, 10))
}
