package zmq_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// Batches bring what one receive after the other would, and what they bring is counted.
func TestXPubBatchReportsTheSame(t *testing.T) {
	t.Parallel()
	const peers = 3
	for name, test := range map[string]struct {
		settings []zmq.Setting
		reports  int // of the subscriptions to the topic that all ask for
	}{
		"plain":    {nil, 1},
		"verbose":  {[]zmq.Setting{zmq.XPubVerbose.To(true)}, peers},
		"verboser": {[]zmq.Setting{zmq.XPubVerboser.To(true)}, peers},
	} {
		for _, most := range []int{1, 2, 100} {
			t.Run(name+" "+strconv.Itoa(most), func(t *testing.T) {
				transports(t, func(t *testing.T, endpoint string) {
					zctx := trackingContext(t)
					pub := newSocket(t, zctx, zmq.XPub, append(test.settings, zmq.TrackSubscriptions.To(true))...)
					require.NoError(t, pub.Bind(endpoint))
					for i := range peers {
						sub := newSocket(t, zctx, zmq.Sub)
						require.NoError(t, sub.Connect(last(t, pub)))
						require.NoError(t, sub.Subscribe("all"))
						require.NoError(t, sub.Subscribe("one "+strconv.Itoa(i))) // arrives after the other
					}
					b, ctx := newBatch(t, most), soon(t)
					got := map[string]int{}
					for ones := 0; ones < peers; {
						n, err := pub.RecvBatch(ctx, b)
						require.NoError(t, err)
						require.LessOrEqual(t, n, most)
						for _, m := range b.All() {
							require.Len(t, m, 1)
							text := string(m[0].Bytes())
							if got[text]++; text != "\x01all" {
								ones++
							}
						}
					}
					require.Equal(t, map[string]int{"\x01all": test.reports, "\x01one 0": 1, "\x01one 1": 1, "\x01one 2": 1}, got)
					require.NoError(t, pub.WaitSubscribers(ctx, 2*peers))
				})
			})
		}
	}
}

// With XPubVerboser libzmq reports the end of each subscription, and each counts one.
func TestWaitSubscribersVerboser(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		zctx, ctx := trackingContext(t), soon(t)
		pub := newSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true), zmq.XPubVerboser.To(true))
		require.NoError(t, pub.Bind(endpoint))
		recv := func(want string) {
			t.Helper()
			text, err := pub.RecvString(ctx)
			require.NoError(t, err)
			require.Equal(t, want, text)
		}
		subs := make([]*zmq.Socket, 5)
		for i := range subs {
			subs[i] = newSocket(t, zctx, zmq.Sub)
			require.NoError(t, subs[i].Connect(last(t, pub)))
			require.NoError(t, subs[i].Subscribe("topic"))
			recv("\x01topic")
		}
		require.NoError(t, subs[0].Unsubscribe("topic"))
		recv("\x00topic")
		require.NoError(t, pub.WaitSubscribers(ctx, 4))
		tooFew(t, pub, 5)
		require.NoError(t, subs[1].Close())
		recv("\x00topic")
		require.NoError(t, pub.WaitSubscribers(ctx, 3))
		tooFew(t, pub, 4)

		// Without it, the end that is reported is the topic's.
		require.NoError(t, pub.Set(zmq.XPubVerboser.To(false)))
		require.NoError(t, subs[2].Unsubscribe("topic"))
		require.NoError(t, subs[3].Unsubscribe("topic"))
		require.NoError(t, pub.WaitSubscribers(ctx, 3))
		require.NoError(t, subs[4].Unsubscribe("topic"))
		recv("\x00topic")
		tooFew(t, pub, 1)
	})
}
