package replay_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/replay"
	network "github.com/go-zmq/go-zmq/zmq/zmqtest"
)

// An account is what a loop over Messages was given. It finds what was neither delivered
// once and in order nor named in a GapError.
type account struct {
	next            uint64
	delivered, lost uint64
	replayed        uint64
	restarts        int
}

// take enters a step.
func (a *account) take(m replay.Message, err error, content func(restarts int, n uint64) []byte) error {
	var gap *replay.GapError
	var restart *replay.RestartError
	switch {
	case errors.As(err, &gap):
		if gap.From != a.next || gap.To < gap.From {
			return fmt.Errorf("%w, but %d is next", err, a.next)
		}
		a.lost += gap.To - gap.From + 1
		a.next = gap.To + 1
	case errors.As(err, &restart):
		if restart.Expected != a.next {
			return fmt.Errorf("%w, but %d is next", err, a.next)
		}
		a.restarts++
		a.next = 0
	case err != nil:
		return err
	case m.Seq != a.next:
		return fmt.Errorf("message %d came, but %d is next", m.Seq, a.next)
	case string(m.Payload) != string(content(a.restarts, m.Seq)):
		return fmt.Errorf("message %d after %d restarts is %.50q", m.Seq, a.restarts, m.Payload)
	default:
		a.delivered++
		if m.Replayed {
			a.replayed++
		}
		a.next++
	}
	return nil
}

// follow runs a loop until message last has come, at first from begin.
func follow(ctx context.Context, s *replay.Subscriber, begin, last uint64) (a account, err error) {
	a.next = begin
	for m, err := range s.Messages(ctx) {
		if err := a.take(m, err, payloadOf); err != nil {
			return a, fmt.Errorf("%w; %+v; %+v", err, a, s.Stats())
		}
		if a.next > last {
			break
		}
	}
	return a, nil
}

// Many subscribers lose the same connections again and again, live messages and requests
// alike. Each gets every message, once and in order.
func TestManySubscribersLoseConnections(t *testing.T) {
	subscribers, messages := 64, uint64(max(scaled(5_000), 500))
	zctx := newContext(t)
	p := newPublisher(t, zctx, "tcp://127.0.0.1:*", replay.PublisherConfig{KeepMessages: int(messages)})
	var proxies [2]*network.Proxy
	var endpoints [2]string
	for i := range proxies {
		proxies[i] = network.NewProxy(t, p.endpoints[i])
		endpoints[i] = proxies[i].Endpoint()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var group sync.WaitGroup
	for i := range subscribers {
		s := subscribe(t, zctx, endpoints, replay.SubscriberConfig{Topic: topic, From: replay.FromSeq(0), Probe: 200 * time.Millisecond})
		group.Go(func() {
			a, err := follow(ctx, s, 0, messages-1)
			if err != nil || a.lost != 0 || a.restarts != 0 || a.delivered != messages {
				t.Errorf("subscriber %d: %+v, %v; %+v", i, a, err, s.Stats())
			}
		})
	}
	breaks := 0
	for n := range messages {
		_, err := p.Publish(ctx, payloadOf(0, n))
		require.NoError(t, err)
		if n%(messages/10) == messages/20 {
			require.NoError(t, proxyReady(ctx, proxies[0], subscribers/2))
			breaks += proxies[n/(messages/10)%2].Cut() + proxies[0].Cut()
		}
	}
	group.Wait()
	require.Greater(t, breaks, subscribers)
	t.Logf("%d connections broken; %+v", breaks, p.Stats())
}

// proxyReady waits until a proxy has so many connections.
func proxyReady(ctx context.Context, p *network.Proxy, links int) error {
	for open, _ := p.Connections(); open < links; open, _ = p.Connections() {
		if err := ctx.Err(); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// Queues of any length, on every side, drop publications, requests and answers. Nothing is
// lost as long as the publisher keeps it, and what it does not keep is reported.
func TestShortQueues(t *testing.T) {
	t.Parallel()
	for _, keep := range []int{100_000, 300} {
		for _, hwm := range []int{1, 2, 10, 100} {
			t.Run(fmt.Sprintf("keep=%d/hwm=%d", keep, hwm), func(t *testing.T) {
				t.Parallel()
				messages := uint64(scaled(20_000))
				zctx := newContext(t)
				p := newPublisher(t, zctx, "tcp://127.0.0.1:*", replay.PublisherConfig{KeepMessages: keep}, zmq.HWM(hwm))
				s := subscribe(t, zctx, p.endpoints, replay.SubscriberConfig{Topic: topic, From: replay.FromSeq(0), Probe: 10 * time.Millisecond}, zmq.HWM(hwm))
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				defer cancel()
				go func() {
					for n := range messages {
						if _, err := p.Publish(ctx, payloadOf(0, n)); err != nil {
							t.Error(err)
						}
					}
				}()
				a, err := follow(ctx, s, 0, messages-1)
				require.NoError(t, err)
				require.Equal(t, messages, a.delivered+a.lost)
				require.Zero(t, a.restarts)
				if keep > int(messages) {
					require.Zero(t, a.lost)
				}
				t.Logf("%+v; %+v; %+v", a, s.Stats(), p.Stats())
			})
		}
	}
}

// A subscriber is slow, and the garbage collector always at work.
func TestSlowSubscriberUnderGC(t *testing.T) {
	stop := make(chan struct{})
	var collector sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	defer collector.Wait()
	defer close(stop)
	messages := uint64(scaled(5_000))
	zctx := newContext(t)
	p := newPublisher(t, zctx, "tcp://127.0.0.1:*", replay.PublisherConfig{KeepMessages: 1000}, zmq.HWM(50))
	s := subscribe(t, zctx, p.endpoints, replay.SubscriberConfig{Topic: topic, From: replay.FromSeq(0), Probe: 10 * time.Millisecond}, zmq.HWM(50))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	go func() {
		for n := range messages {
			if _, err := p.Publish(ctx, payloadOf(0, n)); err != nil {
				t.Error(err)
			}
		}
	}()
	a := account{}
	for a.next < messages { // a loop that is left now and then
		for m, err := range s.Messages(ctx) {
			require.NoError(t, a.take(m, err, payloadOf))
			if a.next == messages || rand.IntN(100) == 0 {
				break
			}
		}
	}
	require.Equal(t, messages, a.delivered+a.lost)
	t.Logf("%+v; %+v", a, s.Stats())
}

// Publishers are replaced by new ones at the same endpoints, each with a random number of
// messages. The subscriber tells the runs apart and misses no message of the last one.
func TestPublishersComeAndGo(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	endpoints := [2]string{"tcp://127.0.0.1:*", "tcp://127.0.0.1:*"}
	again := zmq.ReconnectInterval.To(5 * time.Millisecond)
	sub, requests := newSocket(t, zctx, zmq.Sub, again), newSocket(t, zctx, zmq.Dealer, again)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	runs := 6
	var published []uint64 // of each run
	var mu sync.Mutex
	var reached atomic.Int64 // the place behind the last message
	reached.Store(-1)
	done := make(chan error, 1)
	for run := range runs {
		pub := newSocket(t, zctx, zmq.Pub)
		replies := newSocket(t, zctx, zmq.Router)
		for i, socket := range []*zmq.Socket{pub, replies} {
			require.Eventually(t, func() bool { return socket.Bind(endpoints[i]) == nil }, 20*time.Second, time.Millisecond)
			last, err := socket.LastEndpoint()
			require.NoError(t, err)
			endpoints[i] = last
		}
		p, err := replay.NewPublisher(pub, replies, replay.PublisherConfig{Topic: topic})
		require.NoError(t, err)
		count := rand.Uint64N(2000) + 1
		for n := range count {
			_, err := p.Publish(ctx, payloadOf(run, n))
			require.NoError(t, err)
		}
		mu.Lock()
		published = append(published, count)
		mu.Unlock()
		if run == 0 {
			require.NoError(t, sub.Connect(endpoints[0]))
			require.NoError(t, requests.Connect(endpoints[1]))
			s, err := replay.NewSubscriber(sub, requests, replay.SubscriberConfig{Topic: topic, From: replay.FromSeq(0), Probe: 20 * time.Millisecond})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			go func() { done <- followRuns(ctx, s, runs, &mu, &published, &reached) }()
		}
		if run < runs-1 {
			// A run that ends in the middle of its messages can be taken for the next one (doc.go).
			require.Eventually(t, func() bool { return reached.Load() == place(run, count) || len(done) > 0 }, time.Minute, time.Millisecond)
			if len(done) > 0 {
				require.NoError(t, <-done)
			}
			require.NoError(t, p.Close())
			require.Eventually(t, func() bool { return sub.Stats().Connections+requests.Stats().Connections == 0 }, time.Minute, time.Millisecond)
			continue
		}
		require.NoError(t, <-done)
		require.NoError(t, p.Close())
	}
}

// place is a number of a run as one number.
func place(run int, next uint64) int64 { return int64(run)<<32 | int64(next) }

// followRuns runs a loop up to the last message of the last run.
func followRuns(ctx context.Context, s *replay.Subscriber, runs int, mu *sync.Mutex, published *[]uint64, reached *atomic.Int64) error {
	a := account{}
	for m, err := range s.Messages(ctx) {
		if err := a.take(m, err, payloadOf); err != nil {
			return fmt.Errorf("%w; %+v; %+v", err, a, s.Stats())
		}
		if errors.As(err, new(*replay.RestartError)) {
			a.lost = 0 // what a publisher took with it
		}
		if err == nil {
			reached.Store(place(a.restarts, a.next))
		}
		mu.Lock()
		ended := len(*published) == runs && a.restarts == runs-1 && a.next == (*published)[runs-1]
		mu.Unlock()
		if ended {
			if a.lost > 0 {
				return fmt.Errorf("%+v", a)
			}
			return nil
		}
	}
	return ctx.Err()
}
