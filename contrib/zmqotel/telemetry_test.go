package zmqotel_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/go-zmq/go-zmq/contrib/zmqotel"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/replay"
	"github.com/go-zmq/go-zmq/zmq/request"
	"github.com/go-zmq/go-zmq/zmq/task"
	"github.com/go-zmq/go-zmq/zmq/zmqtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorded returns a Telemetry and what records its spans.
func recorded(options ...zmqotel.Option) (*zmqotel.Telemetry, *tracetest.SpanRecorder, trace.Tracer) {
	r := tracetest.NewSpanRecorder()
	p := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(r))
	return zmqotel.New("orders", append([]zmqotel.Option{zmqotel.WithTracerProvider(p)}, options...)...), r, p.Tracer("test")
}

// requireChild checks that the span of the receiver is a child of the sender's.
func requireChild(t *testing.T, r *tracetest.SpanRecorder, receiver, sender string) {
	t.Helper()
	spans := map[string]sdktrace.ReadOnlySpan{}
	for _, s := range r.Ended() {
		spans[s.Name()] = s
	}
	require.Contains(t, spans, receiver)
	require.Contains(t, spans, sender)
	require.Equal(t, spans[sender].SpanContext().SpanID(), spans[receiver].Parent().SpanID())
	require.Equal(t, spans[sender].SpanContext().TraceID(), spans[receiver].SpanContext().TraceID())
	require.Contains(t, spans[receiver].Attributes(), attribute.String("messaging.system", "zeromq"))
}

func TestEnvelopeIsTheLastPart(t *testing.T) {
	t.Parallel()
	tel, _, tracer := recorded()
	ctx, span := tracer.Start(t.Context(), "outer")
	defer span.End()
	parts := [][]byte{[]byte("topic"), []byte("body")}
	sent := tel.Inject(ctx, parts)
	require.Len(t, sent, 3)
	require.Len(t, parts, 2)
	require.Equal(t, fmt.Sprintf("otel 1\ntraceparent: 00-%s-%s-01\n", span.SpanContext().TraceID(), span.SpanContext().SpanID()), string(sent[2]))
	got, rest := tel.Extract(t.Context(), sent)
	require.Equal(t, parts, rest)
	require.Equal(t, span.SpanContext().SpanID(), trace.SpanContextFromContext(got).SpanID())
	require.True(t, trace.SpanContextFromContext(got).IsRemote())
}

func TestMessagesWithoutEnvelopePass(t *testing.T) {
	t.Parallel()
	tel, _, tracer := recorded()
	for _, parts := range [][][]byte{{}, {[]byte("one")}, {[]byte("otel 1\nno second part")}, {[]byte("a"), {}}, {[]byte("a"), []byte("otel 2\n")}} {
		ctx, rest := tel.Extract(t.Context(), parts)
		require.Equal(t, parts, rest)
		require.False(t, trace.SpanContextFromContext(ctx).IsValid())
	}
	parts := [][]byte{[]byte("x")}
	require.Equal(t, parts, tel.Inject(t.Context(), parts), "there is no span")
	off, _, _ := recorded(zmqotel.WithoutEnvelope())
	ctx, span := tracer.Start(t.Context(), "outer")
	defer span.End()
	require.Equal(t, parts, off.Inject(ctx, parts))
	_, rest := off.Extract(t.Context(), tel.Inject(ctx, parts))
	require.Equal(t, parts, rest, "those that arrive are taken off")
	// What a stranger puts into an envelope starts a new trace at most.
	_, rest = tel.Extract(t.Context(), [][]byte{[]byte("x"), []byte("otel 1\ntraceparent: nonsense\nno colon\n\xff: \xff")})
	require.Equal(t, parts, rest)
}

func TestRequestAndHandler(t *testing.T) {
	t.Parallel()
	tel, r, _ := recorded()
	zctx := zmqtest.NewContext(t)
	dealer, router := zmqtest.NewSocket(t, zctx, zmq.Dealer), zmqtest.NewSocket(t, zctx, zmq.Router)
	zmqtest.Connect(t, router, dealer, zmqtest.InprocName())
	client, err := request.NewClient(dealer, request.Config{})
	require.NoError(t, err)
	defer client.Close()
	server := request.Server{Workers: 1, Handle: tel.Handler(func(_ context.Context, parts [][]byte) [][]byte { return append(parts, []byte("!")) })}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- server.Serve(ctx, router) }()
	reply, err := tel.Request(zmqtest.Soon(t), client, []byte("hello"))
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("hello"), []byte("!")}, reply)
	cancel()
	<-served
	requireChild(t, r, "answer orders", "request orders")

	_, err = tel.Request(ctx, client, []byte("late"))
	require.ErrorIs(t, err, context.Canceled)
	spans := r.Ended()
	require.Equal(t, codes.Error, spans[len(spans)-1].Status().Code)
}

func TestPushAndProcess(t *testing.T) {
	t.Parallel()
	tel, r, _ := recorded()
	zctx := zmqtest.NewContext(t)
	router, dealer := zmqtest.NewSocket(t, zctx, zmq.Router), zmqtest.NewSocket(t, zctx, zmq.Dealer)
	queue, err := task.NewQueue(router, task.QueueConfig{})
	require.NoError(t, err)
	defer queue.Close()
	zmqtest.Connect(t, router, dealer, "tcp://127.0.0.1:*")
	worker, err := task.NewWorker(dealer, task.WorkerConfig{})
	require.NoError(t, err)
	defer worker.Close()
	require.NoError(t, tel.Push(zmqtest.Soon(t), queue, []byte("work")))
	failed := false
	for w, err := range worker.Tasks(zmqtest.Soon(t)) {
		require.NoError(t, err)
		err := tel.Process(t.Context(), w, func(ctx context.Context, payload []byte) error {
			require.Equal(t, "work", string(payload))
			require.True(t, trace.SpanContextFromContext(ctx).IsValid())
			if !failed {
				return errors.New("not now")
			}
			return nil
		})
		if failed {
			require.NoError(t, err)
			break
		}
		require.ErrorContains(t, err, "not now")
		failed = true
	}
	require.NoError(t, queue.Drain(zmqtest.Soon(t)))
	require.Len(t, r.Ended(), 3, "a send and two attempts")
	requireChild(t, r, "process orders", "send orders")
}

func TestPublishAndDeliver(t *testing.T) {
	t.Parallel()
	tel, r, _ := recorded()
	zctx := zmqtest.NewContext(t)
	pub, replies := zmqtest.NewSocket(t, zctx, zmq.Pub), zmqtest.NewSocket(t, zctx, zmq.Router)
	sub, requests := zmqtest.NewSocket(t, zctx, zmq.Sub), zmqtest.NewSocket(t, zctx, zmq.Dealer)
	publisher, err := replay.NewPublisher(pub, replies, replay.PublisherConfig{Topic: "orders", KeepMessages: 10})
	require.NoError(t, err)
	defer publisher.Close()
	require.NoError(t, sub.Connect(zmqtest.Bind(t, pub, "tcp://127.0.0.1:*")))
	require.NoError(t, requests.Connect(zmqtest.Bind(t, replies, "tcp://127.0.0.1:*")))
	subscriber, err := replay.NewSubscriber(sub, requests, replay.SubscriberConfig{Topic: "orders", From: replay.FromOldest})
	require.NoError(t, err)
	defer subscriber.Close()
	seq, err := tel.Publish(zmqtest.Soon(t), publisher, []byte("event"))
	require.NoError(t, err)
	for m, err := range subscriber.Messages(zmqtest.Soon(t)) {
		require.NoError(t, err)
		require.Equal(t, seq, m.Seq)
		require.NoError(t, tel.Deliver(t.Context(), m, func(_ context.Context, payload []byte) error {
			require.Equal(t, "event", string(payload))
			return nil
		}))
		break
	}
	requireChild(t, r, "process orders", "send orders")
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	reader := sdkmetric.NewManualReader()
	m, err := zmqotel.NewMetrics(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)))
	require.NoError(t, err)
	push, pull := zmqtest.Pair(t, zmq.Push, zmq.Pull)
	m.AddContext("main", push.Context())
	zmqtest.RequireWorks(t, push, pull)
	var data metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &data))
	sums := map[string]int64{}
	for _, s := range data.ScopeMetrics[0].Metrics {
		for _, p := range s.Data.(metricdata.Sum[int64]).DataPoints {
			typ, _ := p.Attributes.Value("zmq.socket.type")
			sums[s.Name+" "+typ.AsString()] += p.Value
		}
	}
	require.EqualValues(t, 1, sums["zmq.sent.messages PUSH"])
	require.EqualValues(t, 1, sums["zmq.received.messages PULL"])
	require.EqualValues(t, 13, sums["zmq.sent.bytes PUSH"])
	require.EqualValues(t, 1, sums["zmq.peers PULL"])
	require.NoError(t, m.Close())
	require.NoError(t, reader.Collect(t.Context(), &data))
	require.Empty(t, data.ScopeMetrics)
}
