package zmqotel_test

import (
	"context"
	"fmt"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/go-zmq/go-zmq/contrib/zmqotel"
	"github.com/go-zmq/go-zmq/zmq"
)

// A trace goes on at the receiver of a message, whatever the sockets are.
func ExampleTelemetry_Inject() {
	recorder := tracetest.NewSpanRecorder() // a program has an exporter instead
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	telemetry := zmqotel.New("orders", zmqotel.WithTracerProvider(provider))

	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://orders"))
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://orders"))

	ctx, span := provider.Tracer("shop").Start(context.Background(), "buy")
	check(push.SendMultipart(ctx, telemetry.Inject(ctx, [][]byte{[]byte("an order")})))
	span.End()

	parts, err := pull.RecvMultipart(context.Background())
	check(err)
	ctx, parts = telemetry.Extract(context.Background(), parts)
	fmt.Printf("%s, of the same trace: %t\n", parts[0], trace.SpanContextFromContext(ctx).TraceID() == span.SpanContext().TraceID())
	// Output: an order, of the same trace: true
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
