package account_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/account"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/replay"
	network "github.com/go-zmq/go-zmq/zmq/zmqtest"
)

// Every publication that a publisher keeps reaches each subscriber once, in order and
// intact, whatever happens to connections and queues. What it does not keep is named.
func TestAccountReplay(t *testing.T) {
	for _, c := range taskCells {
		for _, keep := range []int{0, 200} { // all, and few
			name := c.name
			if keep > 0 {
				name += ", keeps few"
			}
			t.Run(name, func(t *testing.T) {
				n := max(min(*messages, 1_000_000)/c.share/2, 2000)
				replayed(t, n, keep, c.settings, c.harm, c.gc)
			})
		}
	}
}

func replayed(t *testing.T, n, keep int, settings []zmq.Setting, harm harm, gc bool) {
	zctx := newContext(t)
	config := replay.PublisherConfig{Topic: "account", KeepMessages: n, KeepBytes: 1 << 40}
	if keep > 0 {
		config.KeepMessages = keep
	}
	pub, router := newSocket(t, zctx, zmq.Pub, settings...), newSocket(t, zctx, zmq.Router, settings...)
	endpoints := [2]string{bind(t, pub, endpointOf("tcp")), bind(t, router, endpointOf("tcp"))}
	p, err := replay.NewPublisher(pub, router, config)
	require.NoError(t, err)
	var harms atomic.Int64
	if harm != nil {
		for i := range endpoints {
			proxy := network.NewProxy(t, endpoints[i])
			endpoints[i] = proxy.Endpoint()
			repeat(t, 50*time.Millisecond, func(r *rand.Rand) {
				harm(proxy, r)
				harms.Add(1)
				totals.fault(harmed, 1)
			})
		}
	}
	if gc {
		repeat(t, time.Millisecond, func(*rand.Rand) { runtime.GC() })
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*patience)
	defer cancel()
	const subscribers = 2
	ended := make(chan error, subscribers)
	var ledgers [subscribers]account.Ledger
	var named [subscribers]uint64
	for i := range subscribers {
		all := append(reconnects(), settings...)
		sub, dealer := newSocket(t, zctx, zmq.Sub, all...), newSocket(t, zctx, zmq.Dealer, all...)
		require.NoError(t, sub.Connect(endpoints[0]))
		require.NoError(t, dealer.Connect(endpoints[1]))
		s, err := replay.NewSubscriber(sub, dealer, replay.SubscriberConfig{Topic: "account", From: replay.FromSeq(0), Probe: 100 * time.Millisecond})
		require.NoError(t, err)
		go func() {
			for m, err := range s.Messages(ctx) {
				var gap *replay.GapError
				switch {
				case errors.As(err, &gap):
					named[i] += gap.To - gap.From + 1
				case err != nil:
					ended <- err
					return
				default:
					ledgers[i].Take(0, unpack(m.Payload))
				}
				if ledgers[i].Received(1)+named[i] == uint64(n) {
					break
				}
			}
			ended <- s.Close()
		}()
	}
	made := account.Producer{ID: 1}
	for range n {
		seq, err := p.Publish(ctx, pack(made.Make()))
		require.NoError(t, err)
		require.Equal(t, made.Next-1, seq)
		if harm != nil && made.Next%uint64(n/20) == 0 { // so that connections fail all the time
			before := harms.Load()
			require.Eventually(t, func() bool { return harms.Load() > before }, patience, time.Millisecond)
		}
	}
	for range subscribers {
		require.NoError(t, <-ended)
	}
	for i := range ledgers {
		missing, _ := ledgers[i].Missing(1, uint64(n))
		totals.book(&ledgers[i], max(missing, named[i])-named[i])
		require.NoError(t, ledgers[i].Report().Fault())
		require.Equal(t, named[i], missing, "messages that did not come, and those that were named")
		if keep == 0 {
			require.Zero(t, missing, "messages lost although they were kept")
		}
	}
	totals.explain(0, named[0]+named[1])
	require.NoError(t, p.Close())
	t.Logf("%d messages, %d and %d named as lost", n, named[0], named[1])
}
