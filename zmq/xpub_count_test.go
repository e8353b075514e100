package zmq_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A batch contains what single receives would return, and its messages are counted.
func TestXPubBatchCounts(t *testing.T) {
	t.Parallel()
	const peers = 3
	for _, most := range []int{1, 2, 100} {
		t.Run(strconv.Itoa(most), func(t *testing.T) {
			transports(t, func(t *testing.T, endpoint string) {
				zctx := trackingContext(t)
				pub := newSocket(t, zctx, zmq.XPub)
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
				require.Equal(t, map[string]int{"\x01all": peers, "\x01one 0": 1, "\x01one 1": 1, "\x01one 2": 1}, got)
				require.NoError(t, pub.WaitSubscribers(ctx, 2*peers))
				tooFew(t, pub, 2*peers+1)
			})
		})
	}
}
