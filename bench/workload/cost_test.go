//go:build !race && !asan

package workload_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/bench/workload"
)

// The allocations and calls into C per message, of both ends together. The test is not
// parallel, because the counts are those of the process.
func TestCostsOfAMessage(t *testing.T) {
	// The limits were measured on one, two and sixteen processors, and leave ten times the
	// additional calls that a busy machine causes.
	const none = 0.05 // a few per run
	const few = 0.001 // one per thousand messages
	const some = 0.5  // one per two messages; batches have hundreds
	const spins = 1e3 // how often two ends look during 100 µs depends on the machine
	// A blocking receiver reads ahead, and needs one call or less per message.
	cases := []struct {
		spec         workload.Spec
		allocs       float64 // at most
		least, bound float64 // calls into C
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
		{workload.Spec{Strategy: workload.SyncPool, Mode: workload.Poll, Impl: workload.Go}, none, 1, 2.5},
		{workload.Spec{Mode: workload.PollDrain, Impl: workload.Go}, none, 1, 2.5},
		{workload.Spec{Mode: workload.Drain, Impl: workload.Go}, none, 1, 2.5},
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
		{workload.Spec{Pattern: workload.ReqRep, Mode: workload.Blocking, Latency: true, Impl: workload.Go}, none, 4, spins},
	}
	for _, c := range cases {
		if c.spec.Pattern == "" {
			c.spec.Pattern = workload.RouterRouter
		}
		c.spec.Transport, c.spec.Size, c.spec.Messages = workload.TCP, 64, 10_000
		t.Run(c.spec.String(), func(t *testing.T) {
			w := open(t, c.spec)
			_, err := w.Run() // allocates the buffers
			require.NoError(t, err)
			var r workload.Result
			for range 5 { // other goroutines of the process can only add to the counts
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
