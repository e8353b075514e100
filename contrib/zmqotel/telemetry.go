package zmqotel

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// scope is the name of the instrumentation.
const scope = "github.com/go-zmq/go-zmq/contrib/zmqotel"

// Telemetry makes spans. It is immutable and safe for use by any number of goroutines.
type Telemetry struct {
	tracer      trace.Tracer
	propagator  propagation.TextMapPropagator
	noEnvelope  bool
	destination string
}

// Option changes what New returns.
type Option func(*Telemetry)

// WithTracerProvider sets where spans go. The default is otel.GetTracerProvider().
func WithTracerProvider(p trace.TracerProvider) Option {
	return func(t *Telemetry) { t.tracer = p.Tracer(scope) }
}

// WithPropagator sets what an envelope carries. The default is the W3C trace context.
func WithPropagator(p propagation.TextMapPropagator) Option {
	return func(t *Telemetry) { t.propagator = p }
}

// WithoutEnvelope sends no envelopes, for peers that do not take them off. Envelopes that
// arrive are still taken off.
func WithoutEnvelope() Option { return func(t *Telemetry) { t.noEnvelope = true } }

// New returns a Telemetry. destination is what spans call the place that messages go to, such as
// "orders"; it is a part of their names, so it should be one of a few.
func New(destination string, options ...Option) *Telemetry {
	t := &Telemetry{destination: destination, propagator: propagation.TraceContext{}}
	for _, o := range options {
		o(t)
	}
	if t.tracer == nil {
		t.tracer = otel.GetTracerProvider().Tracer(scope)
	}
	return t
}

// magic is the first line of an envelope.
const magic = "otel 1\n"

// Inject returns a message with the trace context of ctx in an envelope behind its parts. It does
// not change parts. With WithoutEnvelope, or if there is no trace context, it returns parts.
func (t *Telemetry) Inject(ctx context.Context, parts [][]byte) [][]byte {
	envelope := t.envelope(ctx)
	if envelope == nil {
		return parts
	}
	return append(slices.Clip(parts), envelope)
}

// Extract takes the envelope off a message. It returns a context that has the trace context of
// the sender, and the other parts. Without an envelope it returns ctx and parts.
func (t *Telemetry) Extract(ctx context.Context, parts [][]byte) (context.Context, [][]byte) {
	if len(parts) < 2 {
		return ctx, parts
	}
	last := len(parts) - 1
	sender, ok := t.open(ctx, parts[last])
	if !ok {
		return ctx, parts
	}
	return sender, parts[:last]
}

// envelope returns the trace context of ctx as text, or nil if there is none to send.
func (t *Telemetry) envelope(ctx context.Context) []byte {
	fields := propagation.MapCarrier{}
	if !t.noEnvelope {
		t.propagator.Inject(ctx, fields)
	}
	if len(fields) == 0 {
		return nil
	}
	var b bytes.Buffer
	b.WriteString(magic)
	keys := fields.Keys()
	slices.Sort(keys)
	for _, k := range keys {
		b.WriteString(k + ": " + fields[k] + "\n")
	}
	return b.Bytes()
}

// open returns a context with the trace context of an envelope, and whether it is one.
func (t *Telemetry) open(ctx context.Context, envelope []byte) (context.Context, bool) {
	text, ok := strings.CutPrefix(string(envelope), magic)
	if !ok {
		return ctx, false
	}
	fields := propagation.MapCarrier{}
	for line := range strings.Lines(text) { // fields of strangers are ignored by the propagator
		if k, v, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok {
			fields[strings.ToLower(k)] = v
		}
	}
	return t.propagator.Extract(ctx, fields), true
}

// wrap returns a payload behind the trace context of ctx and an empty line.
func (t *Telemetry) wrap(ctx context.Context, payload []byte) []byte {
	envelope := t.envelope(ctx)
	if envelope == nil {
		return payload
	}
	return append(append(envelope, '\n'), payload...)
}

// unwrap takes off what wrap has put in front of a payload.
func (t *Telemetry) unwrap(ctx context.Context, payload []byte) (context.Context, []byte) {
	if !bytes.HasPrefix(payload, []byte(magic)) {
		return ctx, payload
	}
	envelope, rest, ok := bytes.Cut(payload, []byte("\n\n"))
	if !ok {
		return ctx, payload
	}
	ctx, _ = t.open(ctx, envelope)
	return ctx, rest
}

// An operation is what a span stands for, in the words of the conventions.
type operation struct {
	name string // of the operation: send, process, ...
	typ  string // send or process
	kind trace.SpanKind
}

var (
	sending    = operation{"send", "send", trace.SpanKindProducer}
	processing = operation{"process", "process", trace.SpanKindConsumer}
	requesting = operation{"request", "send", trace.SpanKindClient}
	answering  = operation{"answer", "process", trace.SpanKindServer}
)

// start begins the span of an operation with a message of that many bytes.
func (t *Telemetry) start(ctx context.Context, o operation, size int, more ...attribute.KeyValue) (context.Context, trace.Span) {
	return t.tracer.Start(ctx, o.name+" "+t.destination, trace.WithSpanKind(o.kind), trace.WithAttributes(append(more,
		attribute.String("messaging.system", "zeromq"),
		attribute.String("messaging.destination.name", t.destination),
		attribute.String("messaging.operation.name", o.name),
		attribute.String("messaging.operation.type", o.typ),
		attribute.Int("messaging.message.body.size", size),
	)...))
}

// end ends a span, which failed if err is not nil.
func end(span trace.Span, err error) {
	if err != nil {
		span.RecordError(err)
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}

func sizeOf(parts [][]byte) (n int) {
	for _, p := range parts {
		n += len(p)
	}
	return n
}
