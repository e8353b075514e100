package replay_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/intercept"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/replay"
)

func TestMain(m *testing.M) { testutil.Main(m, intercept.CheckMessages) }

var (
	newContext = zmqtest.NewContext
	newSocket  = zmqtest.NewSocket
	scaled     = testutil.Scaled
)

const topic = "kv@pod@model"

func bind(t testing.TB, s *zmq.Socket, endpoint string) string {
	t.Helper()
	require.NoError(t, s.Bind(endpoint))
	return zmqtest.LastEndpoint(t, s)
}

// payloadOf returns the payload of message n of a run of a publisher.
func payloadOf(run int, n uint64) []byte { return fmt.Appendf(nil, "run %d, message %d", run, n) }

// A feed is a publisher that a test plays, and a Subscriber connected to it. What the test
// publishes and what the feed keeps for requests are independent of each other.
type feed struct {
	t         testing.TB
	ctx       context.Context
	zctx      *zmq.Context
	pub       *zmq.Socket
	endpoints [2]string
	stop      func()
	sub       *replay.Subscriber
	steps     chan string // of the Subscriber's loop, as texts

	mu          sync.Mutex
	run         int    // of the publisher
	first, last uint64 // what it keeps; nothing if first is larger
	older       bool   // it answers in the older layout
	harm        func(request int, answer [][][]byte) [][][]byte
	requests    []uint64 // the numbers that were asked for
}

// newFeed starts a publisher that keeps nothing, and a Subscriber.
func newFeed(t testing.TB, config replay.SubscriberConfig) *feed {
	t.Helper()
	f := &feed{t: t, zctx: newContext(t), steps: make(chan string, 100_000), first: 1}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	f.ctx = ctx
	t.Cleanup(cancel)
	f.open("tcp://127.0.0.1:*", "tcp://127.0.0.1:*")
	if config.Topic == "" {
		config.Topic = topic
	}
	f.sub = subscribe(t, f.zctx, f.endpoints, config)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m, err := range f.sub.Messages(ctx) {
			f.steps <- describe(m, err)
		}
	}()
	t.Cleanup(func() { cancel(); <-done; f.stop() })
	require.NoError(t, f.pub.WaitSubscribers(ctx, 1))
	return f
}

// open opens the sockets of a publisher, and answers requests.
func (f *feed) open(endpoints ...string) {
	f.t.Helper()
	f.pub = newSocket(f.t, f.zctx, zmq.Pub, zmq.TrackSubscriptions.To(true), zmq.HWM(0))
	replies := newSocket(f.t, f.zctx, zmq.Router, zmq.HWM(0))
	for i, s := range []*zmq.Socket{f.pub, replies} {
		require.Eventually(f.t, func() bool { return s.Bind(endpoints[i]) == nil }, 20*time.Second, time.Millisecond)
		f.endpoints[i] = zmqtest.LastEndpoint(f.t, s)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m := range replies.Messages(context.Background()) {
			if len(m) != 3 || m[1].Len() != 0 || m[2].Len() != 8 {
				continue // closed
			}
			for _, parts := range f.answer(binary.BigEndian.Uint64(m[2].Bytes())) {
				_ = replies.SendMultipart(context.Background(), append([][]byte{m[0].Bytes(), nil}, parts...))
			}
		}
	}()
	f.stop = func() { _, _ = replies.Close(), f.pub.Close(); <-done }
}

// answer returns the messages of an answer.
func (f *feed) answer(start uint64) (answer [][][]byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, start)
	for n := max(start, f.first); n <= f.last && f.first <= f.last; n++ {
		answer = append(answer, message(f.run, n))
	}
	answer = append(answer, [][]byte{nil, seqOf(1<<64 - 1), nil})
	if f.older {
		for i := range answer {
			answer[i] = answer[i][1:]
		}
	}
	if f.harm != nil {
		answer = f.harm(len(f.requests), answer)
	}
	return answer
}

// keeps sets what the publisher keeps.
func (f *feed) keeps(first, last uint64) { f.set(func() { f.first, f.last = first, last }) }

func (f *feed) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// asked returns what was asked for so far.
func (f *feed) asked() []uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

// restart replaces the publisher with a new one that keeps some messages.
func (f *feed) restart(first, last uint64) {
	f.t.Helper()
	f.stop()
	f.set(func() { f.run++ })
	f.keeps(first, last)
	f.open(f.endpoints[:]...)
	require.NoError(f.t, f.pub.WaitSubscribers(f.ctx, 1))
}

// publish sends messages live.
func (f *feed) publish(numbers ...uint64) {
	f.t.Helper()
	for _, n := range numbers {
		require.NoError(f.t, f.pub.SendMultipart(f.ctx, message(f.run, n)))
	}
}

// expect requires the next steps of the loop.
func (f *feed) expect(want ...string) {
	f.t.Helper()
	for i, w := range want {
		select {
		case got := <-f.steps:
			require.Equal(f.t, w, got, "step %d", i)
		case <-f.ctx.Done():
			require.FailNow(f.t, "no step", "wanted %q; %+v, asked for %v", w, f.sub.Stats(), f.asked())
		}
	}
}

// message returns the parts of a message.
func message(run int, n uint64) [][]byte { return [][]byte{[]byte(topic), seqOf(n), payloadOf(run, n)} }

func seqOf(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// live and again describe messages of a run that came live and in answers.
func live(run int, numbers ...uint64) []string { return describeAll("live", run, numbers) }

func again(run int, numbers ...uint64) []string { return describeAll("again", run, numbers) }

func describeAll(how string, run int, numbers []uint64) (all []string) {
	for _, n := range numbers {
		all = append(all, fmt.Sprintf("%d %s %s", n, how, payloadOf(run, n)))
	}
	return all
}

// upTo returns the numbers from first to last.
func upTo(first, last uint64) (all []uint64) {
	for n := first; n <= last; n++ {
		all = append(all, n)
	}
	return all
}

func describe(m replay.Message, err error) string {
	var gap *replay.GapError
	var restart *replay.RestartError
	switch {
	case errors.As(err, &gap):
		return fmt.Sprintf("lost %d to %d", gap.From, gap.To)
	case errors.As(err, &restart):
		return fmt.Sprintf("restart: %d instead of %d", restart.Seen, restart.Expected)
	case err != nil:
		return err.Error()
	case m.Replayed:
		return fmt.Sprintf("%d again %s", m.Seq, m.Payload)
	}
	return fmt.Sprintf("%d live %s", m.Seq, m.Payload)
}

// subscribe returns a Subscriber that is connected to the endpoints of a PUB and a ROUTER.
func subscribe(t testing.TB, zctx *zmq.Context, endpoints [2]string, config replay.SubscriberConfig, settings ...zmq.Setting) *replay.Subscriber {
	t.Helper()
	settings = append([]zmq.Setting{zmq.ReconnectInterval.To(5 * time.Millisecond)}, settings...)
	sub := newSocket(t, zctx, zmq.Sub, settings...)
	requests := newSocket(t, zctx, zmq.Dealer, settings...)
	require.NoError(t, sub.Connect(endpoints[0]))
	require.NoError(t, requests.Connect(endpoints[1]))
	s, err := replay.NewSubscriber(sub, requests, config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}
