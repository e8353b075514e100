//go:build !race && !asan

package workload_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/workload"
)

// What a message costs, both ends together. Not parallel, since the counts are the
// process's.
func TestCostsOfAMessage(t *testing.T) {
	// What was measured on one, two and sixteen processors, and about ten times of what
	// waiting added, on a machine that stands still at times.
	const none = 0.05 // a little for a run
	const few = 0.001 // a crossing for a thousand messages
	const some = 0.5  // a crossing for two messages: batches are hundreds
	// A blocking receiver that reads ahead by itself takes one crossing or less, depending
	// on how many messages it finds.
	cases := []struct {
		spec         workload.Spec
		allocs       float64 // at most
		least, bound float64 // crossings
	}{
		{workload.Spec{Mode: workload.Blocking, Impl: workload.Go}, none, 1, 2.25},
		{workload.Spec{Mode: workload.Batch, Impl: workload.Go}, none, few, some},
		{workload.Spec{Mode: workload.ReadAhead, Impl: workload.Go}, none, few, some},
		{workload.Spec{Mode: workload.Batch, Impl: workload.C}, none, 0, none},
		{workload.Spec{Mode: workload.ReadAhead, Impl: workload.C}, none, 0, none},
		{workload.Spec{Strategy: workload.Bytes, Impl: workload.Go}, 2.05, 1, 2.25},
		{workload.Spec{Strategy: workload.SyncPool, Impl: workload.Go}, none, 1, 2.25},
		{workload.Spec{Strategy: workload.Message, Impl: workload.Go}, none, 2, 3.25},
		{workload.Spec{Strategy: workload.ZeroCopy, Impl: workload.Go}, 5, 1, 2.5},
		{workload.Spec{Strategy: workload.Pooled, Impl: workload.Go}, none, 1, 2.25},
		{workload.Spec{Strategy: workload.BatchCopy, Impl: workload.Go}, none, few, some},
		{workload.Spec{Strategy: workload.Copy, Impl: workload.C}, none, 0, none},
		{workload.Spec{Strategy: workload.ZeroCopy, Impl: workload.C}, none, 0, none},
		{workload.Spec{Pattern: workload.PushPull, Mode: workload.Batch, Senders: 4, Impl: workload.Go}, none, few, some},
		{workload.Spec{Pattern: workload.PushPull, Mode: workload.ReadAhead, Receivers: 4, Impl: workload.Go}, none, few, some},
		{workload.Spec{Pattern: workload.PubSub, Mode: workload.Blocking, Receivers: 4, Impl: workload.Go}, none, 0.25, 1.5},
		{workload.Spec{Pattern: workload.PubSub, Mode: workload.Batch, Receivers: 4, Impl: workload.Go}, none, few, some},
		{workload.Spec{Pattern: workload.PubSub, Strategy: workload.Pooled, Receivers: 4, Impl: workload.Go}, none, 0.25, 1.5},
		{workload.Spec{Pattern: workload.PubSub, Mode: workload.Blocking, Receivers: 4, Impl: workload.C}, none, 0, none},
		{workload.Spec{Pattern: workload.DealerRouter, Mode: workload.Blocking, Window: 100, Impl: workload.Go}, none, 2, 5.5},
		{workload.Spec{Pattern: workload.DealerRouter, Mode: workload.Batch, Window: 100, Impl: workload.Go}, none, few, 2},
		{workload.Spec{Pattern: workload.DealerRouter, Mode: workload.Blocking, Window: 100, Impl: workload.C}, none, 0, none},
		{workload.Spec{Pattern: workload.ReqRep, Mode: workload.Blocking, Latency: true, Impl: workload.Go}, none, 4, 20},
	}
	for _, c := range cases {
		if c.spec.Pattern == "" {
			c.spec.Pattern = workload.RouterRouter
		}
		c.spec.Transport, c.spec.Size, c.spec.Messages = workload.TCP, 64, 10_000
		t.Run(c.spec.String(), func(t *testing.T) {
			w := open(t, c.spec)
			_, err := w.Run() // grows what is kept
			require.NoError(t, err)
			var r workload.Result
			for range 5 { // whatever else happens here can only add
				r, err = w.Run()
				require.NoError(t, err)
				require.GreaterOrEqual(t, r.CrossingsPerMessage(), c.least)
				if r.AllocsPerMessage() < c.allocs && r.CrossingsPerMessage() < c.bound {
					break
				}
			}
			require.Less(t, r.AllocsPerMessage(), c.allocs)
			require.Less(t, r.CrossingsPerMessage(), c.bound)
			require.NoError(t, w.Close())
		})
	}
}
