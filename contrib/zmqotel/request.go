package zmqotel

import (
	"context"

	"go.opentelemetry.io/otel/attribute"

	"github.com/go-zmq/go-zmq/zmq/request"
)

// Request sends a request by c in a client span, with the span's context in an envelope, and
// returns the reply. It otherwise behaves like request.Client.Request.
func (t *Telemetry) Request(ctx context.Context, c *request.Client, parts ...[]byte) (reply [][]byte, err error) {
	ctx, span := t.start(ctx, requesting, sizeOf(parts))
	defer func() { end(span, err) }()
	reply, err = c.Request(ctx, t.Inject(ctx, parts)...)
	span.SetAttributes(attribute.Int("zmq.reply.body.size", sizeOf(reply)))
	return reply, err
}

// Handler returns a handler for request.Server that calls h in a server span. Its parent is the
// span of the client, if the request has an envelope, which h does not see.
func (t *Telemetry) Handler(h request.Handler) request.Handler {
	return func(ctx context.Context, parts [][]byte) [][]byte {
		ctx, parts = t.Extract(ctx, parts)
		ctx, span := t.start(ctx, answering, sizeOf(parts))
		defer span.End()
		return h(ctx, parts)
	}
}
