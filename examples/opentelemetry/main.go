// Command opentelemetry passes the trace context of OpenTelemetry from a client to a
// server in a part of the message, so that both spans belong to one trace.
//
//	go run ./opentelemetry
//
// The part has the form of HTTP headers, with the W3C field "traceparent" and any other
// fields that the propagator of the program sets. A program in another language can read
// it. An exporter for a collector replaces the recorder of this example.
package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

// propagator writes and reads trace contexts. A program may also use the global one:
// otel.GetTextMapPropagator().
var propagator = propagation.TraceContext{}

func main() {
	demo.Run(run)
	// Output:
	// the server received "an order"
	// span "handle order" ended, with a parent: true
	// span "send order" ended, with a parent: false
	// "handle order" is a child of "send order": true
}

func run(ctx context.Context, d *demo.Demo) error {
	recorder := tracetest.NewSpanRecorder()
	tracer := sdk.NewTracerProvider(sdk.WithSpanProcessor(recorder)).Tracer("example")
	server, endpoint := d.Bind(zmq.Rep, demo.AnyPort)
	d.Go(func() error { return serve(ctx, server, tracer) })
	client := d.Connect(zmq.Req, endpoint)

	sending, span := tracer.Start(ctx, "send order", trace.WithSpanKind(trace.SpanKindClient))
	if err := client.SendMultipart(ctx, inject(sending, demo.Message("an order"))); err != nil {
		return err
	}
	if _, err := client.RecvBytes(ctx); err != nil {
		return err
	}
	span.End()

	spans := recorder.Ended()
	for _, s := range spans {
		fmt.Printf("span %q ended, with a parent: %t\n", s.Name(), s.Parent().IsValid())
	}
	handle, send := spans[0], spans[1]
	related := handle.Parent().SpanID() == send.SpanContext().SpanID() && handle.SpanContext().TraceID() == send.SpanContext().TraceID()
	fmt.Printf("%q is a child of %q: %t\n", handle.Name(), send.Name(), related)
	return nil
}

// serve handles orders, each in a span whose parent is the span of the client.
func serve(ctx context.Context, server *zmq.Socket, tracer trace.Tracer) error {
	for {
		message, err := server.RecvMultipart(ctx)
		if err != nil {
			return err
		}
		handling, content, err := extract(ctx, message)
		if err != nil {
			return err
		}
		_, span := tracer.Start(handling, "handle order", trace.WithSpanKind(trace.SpanKindServer))
		fmt.Printf("the server received %q\n", content[0])
		span.End()
		if err := server.SendString(ctx, "accepted"); err != nil {
			return err
		}
	}
}

// inject returns the message behind a part with the trace context of ctx.
func inject(ctx context.Context, message [][]byte) [][]byte {
	carrier := propagation.MapCarrier{}
	propagator.Inject(ctx, carrier)
	var fields strings.Builder
	for key, value := range carrier {
		fmt.Fprintf(&fields, "%s: %s\r\n", key, value)
	}
	return append([][]byte{[]byte(fields.String())}, message...)
}

// extract returns a context with the trace context of the first part, and the other parts.
func extract(ctx context.Context, message [][]byte) (context.Context, [][]byte, error) {
	if len(message) < 2 {
		return nil, nil, errors.New("message without a trace context")
	}
	carrier := propagation.MapCarrier{}
	for field := range strings.Lines(string(message[0])) {
		if key, value, ok := strings.Cut(strings.TrimSpace(field), ": "); ok {
			carrier.Set(strings.ToLower(key), value)
		}
	}
	return propagator.Extract(ctx, carrier), message[1:], nil
}
