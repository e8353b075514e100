package account_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/account"
	"github.com/go-zmq/go-zmq/zmq"
)

const theEnd = "the end"

var errEnd = errors.New(theEnd)

// pubSub publishes from a PUB to two SUB sockets. The PUB counts the messages that it drops for
// slow subscribers. All other messages arrive.
func pubSub(t *testing.T, way, transport string, n int) {
	const subscribers = 2
	n /= subscribers
	r := newRun(t, way, 1)
	full := zmq.DropCounted
	if way == readAhead {
		full = zmq.Block // now and then
	}
	pub := newSocket(t, r.c, zmq.Pub, zmq.TrackSubscriptions.To(true), zmq.WhenFull.To(full))
	endpoint := listen(t, pub, transport)
	var ledgers [subscribers]account.Ledger
	ended := make(chan error, subscribers)
	for i := range subscribers {
		s := newSocket(t, r.c, zmq.Sub, append(settingsOf(way), zmq.Subscribe.To(""))...)
		require.NoError(t, s.Connect(endpoint))
		r.group.Go(func() {
			ended <- receive(r.ctx, s, way, nil, func(parts [][]byte, _ *zmq.Message) error {
				if len(parts) == 1 && string(parts[0]) == theEnd {
					return errEnd
				}
				ledgers[i].Take(0, parts)
				return nil
			})
		})
	}
	require.NoError(t, pub.WaitSubscribers(r.ctx, subscribers))
	snd, err := newSender(r.ctx, pub, way, r.pool)
	require.NoError(t, err)
	defer snd.close()
	p := account.Producer{ID: 1}
	for range n {
		require.NoError(t, snd.send(p.Make()))
	}
	require.NoError(t, snd.flush())
	dropped := pub.Stats().Dropped
	for tries := dropped; ; tries++ { // the end, too, may be dropped
		require.NoError(t, pub.Send(r.ctx, []byte(theEnd)))
		if pub.Stats().Dropped == tries {
			break
		}
		if err := r.ctx.Err(); err != nil {
			require.NoError(t, err)
		}
	}
	for range subscribers {
		require.ErrorIs(t, <-ended, errEnd)
	}
	r.cancel(errAllThere)
	r.end()
	for i := range ledgers {
		lost, _ := ledgers[i].Missing(1, uint64(n))
		totals.book(&ledgers[i], max(lost, dropped)-dropped)
		require.NoError(t, ledgers[i].Report().Fault())
		require.Equal(t, dropped, lost, "messages lost, of which %d are accounted for", dropped)
	}
	if full == zmq.Block {
		require.Zero(t, dropped)
	}
	totals.explain(0, dropped*subscribers)
}
