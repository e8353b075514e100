package replay_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/replay"
)

// A stand is a Publisher and the endpoints of its sockets.
type stand struct {
	*replay.Publisher
	pub       *zmq.Socket
	endpoints [2]string
}

// newPublisher returns a Publisher that is bound to an endpoint, or to new names of inproc.
func newPublisher(t testing.TB, zctx *zmq.Context, endpoint string, config replay.PublisherConfig, settings ...zmq.Setting) *stand {
	t.Helper()
	if config.Topic == "" {
		config.Topic = topic
	}
	pub := newSocket(t, zctx, zmq.Pub, append([]zmq.Setting{zmq.TrackSubscriptions.To(true)}, settings...)...)
	replies := newSocket(t, zctx, zmq.Router, hwmOf(settings)...)
	p, err := replay.NewPublisher(pub, replies, config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	stand := &stand{Publisher: p, pub: pub}
	for i, s := range []*zmq.Socket{pub, replies} {
		if stand.endpoints[i] = zmqtest.InprocName(); endpoint != "inproc" {
			stand.endpoints[i] = endpoint
		}
		stand.endpoints[i] = bind(t, s, stand.endpoints[i])
	}
	return stand
}

// hwmOf returns the first setting only, which all sockets understand.
func hwmOf(settings []zmq.Setting) []zmq.Setting { return settings[:min(len(settings), 1)] }

// publishAll publishes messages that payloadOf made.
func (s *stand) publishAll(t testing.TB, first, last uint64) {
	t.Helper()
	for n := first; n <= last; n++ {
		seq, err := s.Publish(context.Background(), payloadOf(0, n))
		require.NoError(t, err)
		require.Equal(t, n, seq)
	}
}

// ask sends a request and receives the answer up to the end mark.
func ask(t testing.TB, dealer *zmq.Socket, start uint64) (answer [][][]byte) {
	t.Helper()
	require.NoError(t, dealer.SendMultipart(context.Background(), [][]byte{nil, seqOf(start)}))
	for {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		m, err := dealer.RecvMultipart(ctx)
		cancel()
		require.NoError(t, err)
		require.Len(t, m, 4)
		require.Empty(t, m[0])
		if bytes.Equal(m[2], seqOf(1<<64-1)) {
			require.Equal(t, [][]byte{{}, {}, seqOf(1<<64 - 1), {}}, m)
			return answer
		}
		answer = append(answer, m[1:])
	}
}

func requireMessages(t testing.TB, answer [][][]byte, first, last uint64) {
	t.Helper()
	require.Len(t, answer, int(last-first)+1)
	for i, m := range answer {
		require.Equal(t, message(0, first+uint64(i)), m)
	}
}

func dial(t testing.TB, zctx *zmq.Context, endpoint string, settings ...zmq.Setting) *zmq.Socket {
	t.Helper()
	s := newSocket(t, zctx, zmq.Dealer, settings...)
	require.NoError(t, s.Connect(endpoint))
	return s
}

// What is sent, byte by byte.
func TestPublisherFormat(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	p := newPublisher(t, zctx, "tcp://127.0.0.1:*", replay.PublisherConfig{FirstSeq: 1000})
	sub := newSocket(t, zctx, zmq.Sub, zmq.Subscribe.To(""))
	require.NoError(t, sub.Connect(p.endpoints[0]))
	require.NoError(t, p.pub.WaitSubscribers(t.Context(), 1))
	require.EqualValues(t, 1000, p.Stats().Oldest)
	for _, payload := range []string{"first", "", "third"} {
		_, err := p.Publish(t.Context(), []byte(payload))
		require.NoError(t, err)
	}
	want := [][][]byte{
		{[]byte(topic), {0, 0, 0, 0, 0, 0, 0x03, 0xe8}, []byte("first")},
		{[]byte(topic), {0, 0, 0, 0, 0, 0, 0x03, 0xe9}, {}},
		{[]byte(topic), {0, 0, 0, 0, 0, 0, 0x03, 0xea}, []byte("third")},
	}
	for _, m := range want {
		got, err := sub.RecvMultipart(t.Context())
		require.NoError(t, err)
		require.Equal(t, m, got)
	}
	dealer := dial(t, zctx, p.endpoints[1])
	require.Equal(t, want, ask(t, dealer, 0))
	require.Equal(t, want[1:], ask(t, dealer, 1001))
	require.Empty(t, ask(t, dealer, 1003))
	require.Empty(t, ask(t, dealer, 1<<63))
	require.Empty(t, ask(t, dealer, 1<<64-1))
	require.Eventually(t, func() bool { return p.Stats().Replays == 5 }, 20*time.Second, time.Millisecond)
	require.Equal(t, replay.PublisherStats{Published: 3, Kept: 3, KeptBytes: 10, Oldest: 1000, Replays: 5}, p.Stats())
}

// The limits of what is kept hold for every mixture of sizes, and what is kept is intact.
func TestPublisherKeepsTheLast(t *testing.T) {
	t.Parallel()
	sizes := func(n uint64) int { return []int{0, 1, 100, 5000, 70_000, 64 << 10, 7, 300_000}[n%8] }
	for name, c := range map[string]struct {
		config replay.PublisherConfig
		kept   int
		size   func(n uint64) int
	}{
		"messages":      {config: replay.PublisherConfig{KeepMessages: 100}, kept: 100},
		"one":           {config: replay.PublisherConfig{KeepMessages: 1}, kept: 1},
		"bytes":         {config: replay.PublisherConfig{KeepBytes: 1000}, kept: 10, size: func(uint64) int { return 100 }},
		"too few bytes": {config: replay.PublisherConfig{KeepBytes: 10}, kept: 1, size: func(uint64) int { return 100 }},
		"all":           {config: replay.PublisherConfig{}, kept: 500},
		"mixed":         {config: replay.PublisherConfig{KeepBytes: 1 << 20}, size: sizes},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zctx := newContext(t)
			p := newPublisher(t, zctx, "inproc", c.config)
			dealer := dial(t, zctx, p.endpoints[1])
			content := func(n uint64) []byte {
				if c.size == nil {
					return payloadOf(0, n)
				}
				return bytes.Repeat([]byte{byte(n)}, c.size(n))
			}
			for n := range uint64(500) {
				_, err := p.Publish(t.Context(), content(n))
				require.NoError(t, err)
				if n%50 != 49 {
					continue
				}
				stats := p.Stats()
				if c.kept > 0 {
					require.Equal(t, min(c.kept, int(n)+1), stats.Kept)
				}
				require.EqualValues(t, n+1, stats.Oldest+uint64(stats.Kept))
				answer, bytesKept := ask(t, dealer, 0), int64(0)
				require.Len(t, answer, stats.Kept)
				for i, m := range answer {
					require.Equal(t, [][]byte{[]byte(topic), seqOf(stats.Oldest + uint64(i))}, m[:2])
					require.True(t, bytes.Equal(content(stats.Oldest+uint64(i)), m[2]))
					bytesKept += int64(len(m[2]))
				}
				require.Equal(t, bytesKept, stats.KeptBytes)
				if c.config.KeepBytes > 0 && stats.Kept > 1 {
					require.LessOrEqual(t, bytesKept, c.config.KeepBytes)
				}
			}
		})
	}
}

// Requests that are none are counted and get no answer.
func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	p := newPublisher(t, zctx, "tcp://127.0.0.1:*", replay.PublisherConfig{})
	p.publishAll(t, 0, 9)
	dealer := dial(t, zctx, p.endpoints[1])
	bad := [][][]byte{{nil}, {seqOf(0)}, {nil, nil}, {nil, seqOf(0)[1:]}, {nil, append(seqOf(0), 0)}, {seqOf(0), seqOf(0)}, {nil, seqOf(0), nil}, make([][]byte, 100)}
	for _, m := range bad {
		require.NoError(t, dealer.SendMultipart(t.Context(), m))
	}
	requireMessages(t, ask(t, dealer, 3), 3, 9)
	require.EqualValues(t, len(bad), p.Stats().Refused)
}

// A requester that takes nothing delays neither publications nor other requesters.
func TestSlowRequester(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	p := newPublisher(t, zctx, "tcp://127.0.0.1:*", replay.PublisherConfig{}, zmq.HWM(2))
	payload := make([]byte, 100_000) // so that the network does not hold them all
	for range 200 {
		_, err := p.Publish(t.Context(), payload)
		require.NoError(t, err)
	}
	for range 10 {
		slow := dial(t, zctx, p.endpoints[1], zmq.HWM(1), zmq.RecvBuffer.To(4096))
		require.NoError(t, slow.SendMultipart(t.Context(), [][]byte{nil, seqOf(0)}))
	}
	quick := dial(t, zctx, p.endpoints[1])
	for range 3 {
		require.Len(t, ask(t, quick, 0), int(p.Stats().Published))
		_, err := p.Publish(t.Context(), payload)
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return p.Stats().Replays == 3 }, 20*time.Second, time.Millisecond)
}

// A flood of requests of one requester is one replay after the other, and one from many
// requesters at a time is refused beyond a limit.
func TestFloodOfRequests(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	p := newPublisher(t, zctx, "inproc", replay.PublisherConfig{}, zmq.HWM(10))
	p.publishAll(t, 0, 999)
	flood := dial(t, zctx, p.endpoints[1], zmq.HWM(10))
	for range 10_000 {
		_ = flood.SendMultipart(t.Context(), [][]byte{nil, seqOf(0)}, zmq.DontWait)
	}
	quick := dial(t, zctx, p.endpoints[1])
	requireMessages(t, ask(t, quick, 0), 0, 999)
	for range 200 {
		stuck := dial(t, zctx, p.endpoints[1], zmq.HWM(1))
		require.NoError(t, stuck.SendMultipart(t.Context(), [][]byte{nil, seqOf(0)}))
	}
	require.Eventually(t, func() bool { return p.Stats().Refused >= 200-128 }, 20*time.Second, time.Millisecond)
	_, err := p.Publish(t.Context(), nil)
	require.NoError(t, err)
}

// A requester that disappears ends its replay.
func TestRequesterIsGone(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	p := newPublisher(t, zctx, "tcp://127.0.0.1:*", replay.PublisherConfig{}, zmq.HWM(1))
	p.publishAll(t, 0, 999)
	for range 300 { // more than are served at a time
		gone := dial(t, zctx, p.endpoints[1], zmq.HWM(1))
		require.NoError(t, gone.SendMultipart(t.Context(), [][]byte{nil, seqOf(0)}))
		_, err := gone.RecvMultipart(t.Context())
		require.NoError(t, err)
		require.NoError(t, gone.Close())
	}
	requireMessages(t, ask(t, dial(t, zctx, p.endpoints[1]), 0), 0, 999)
}

// Any number of goroutines publish. Each number is used once, and they are sent in order.
func TestConcurrentPublish(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	p := newPublisher(t, zctx, "inproc", replay.PublisherConfig{})
	s := subscribe(t, zctx, p.endpoints, replay.SubscriberConfig{Topic: topic, From: replay.FromOldest, Probe: 50 * time.Millisecond})
	const goroutines, each = 8, 500
	var group sync.WaitGroup
	numbers := make(chan uint64, goroutines*each)
	for range goroutines {
		group.Go(func() {
			for range each {
				seq, err := p.Publish(context.Background(), nil)
				if err != nil {
					t.Error(err)
				}
				numbers <- seq
			}
		})
	}
	next := uint64(0)
	for m, err := range s.Messages(t.Context()) {
		require.NoError(t, err)
		require.Equal(t, next, m.Seq)
		if next++; next == goroutines*each {
			break
		}
	}
	group.Wait()
	seen := map[uint64]bool{}
	for range goroutines * each {
		seen[<-numbers] = true
	}
	require.Len(t, seen, goroutines*each)
}

// A publication that failed has no number. The policy of the PUB applies, and a goroutine
// that waits for its turn can be cancelled.
func TestFailedPublish(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	for _, policy := range []zmq.FullPolicy{zmq.Fail, zmq.Block} {
		p := newPublisher(t, zctx, "inproc", replay.PublisherConfig{}, zmq.HWM(1), zmq.WhenFull.To(policy))
		sub := newSocket(t, zctx, zmq.Sub, zmq.Subscribe.To(""), zmq.HWM(1))
		require.NoError(t, sub.Connect(p.endpoints[0]))
		require.NoError(t, p.pub.WaitSubscribers(t.Context(), 1))
		sent := uint64(0)
		for {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			seq, err := p.Publish(ctx, nil)
			cancel()
			if err != nil {
				require.True(t, policy == zmq.Fail && errors.Is(err, zmq.ErrAgain) || policy == zmq.Block && errors.Is(err, context.DeadlineExceeded), "%v", err)
				break
			}
			require.Equal(t, sent, seq)
			sent++
		}
		require.Equal(t, sent, p.Stats().Published)
		if policy == zmq.Block {
			first, second := make(chan error), make(chan error)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { _, err := p.Publish(t.Context(), nil); first <- err }()
			require.Eventually(t, func() bool { return p.pub.Stats().Waiting == 1 }, 20*time.Second, time.Millisecond)
			go func() { _, err := p.Publish(ctx, nil); second <- err }()
			require.Len(t, ask(t, dial(t, zctx, p.endpoints[1]), 0), int(sent), "a replay does not wait for the PUB")
			cancel()
			require.ErrorIs(t, <-second, context.Canceled)
			_, err := sub.RecvMultipart(t.Context())
			require.NoError(t, err)
			require.NoError(t, <-first)
		}
	}
}

func TestClosedPublisher(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	p := newPublisher(t, zctx, "tcp://127.0.0.1:*", replay.PublisherConfig{}, zmq.HWM(1))
	p.publishAll(t, 0, 999)
	slow := dial(t, zctx, p.endpoints[1], zmq.HWM(1)) // its replay is under way
	require.NoError(t, slow.SendMultipart(t.Context(), [][]byte{nil, seqOf(0)}))
	_, err := slow.RecvMultipart(t.Context())
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, p.Close())
		_, err = p.Publish(t.Context(), nil)
		require.ErrorIs(t, err, zmq.ErrClosed)
	}
	require.EqualValues(t, 1000, p.Stats().Published)
}

func TestBadPublishers(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pub, router := newSocket(t, zctx, zmq.Pub), newSocket(t, zctx, zmq.Router)
	for _, c := range []replay.PublisherConfig{{KeepMessages: -1}, {KeepBytes: -1}} {
		_, err := replay.NewPublisher(pub, router, c)
		require.ErrorIs(t, err, syscall.EINVAL)
	}
	_, err := replay.NewPublisher(router, router, replay.PublisherConfig{})
	require.ErrorContains(t, err, "takes a PUB socket, not a ROUTER")
	_, err = replay.NewPublisher(pub, pub, replay.PublisherConfig{})
	require.ErrorContains(t, err, "takes a ROUTER socket, not a PUB")
	_, err = replay.NewPublisher(nil, router, replay.PublisherConfig{})
	require.ErrorIs(t, err, zmq.ErrClosed)
	_, err = replay.NewPublisher(pub, nil, replay.PublisherConfig{})
	require.ErrorIs(t, err, zmq.ErrClosed)

	p := newPublisher(t, zctx, "inproc", replay.PublisherConfig{FirstSeq: 1<<64 - 2})
	_, err = p.Publish(nil, nil) //nolint:staticcheck // nil is what is tested
	require.ErrorIs(t, err, syscall.EINVAL)
	_, err = p.Publish(t.Context(), nil)
	require.NoError(t, err)
	_, err = p.Publish(t.Context(), nil)
	require.ErrorIs(t, err, syscall.EOVERFLOW)
}
