//go:build !race && !asan

package pool_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

// The race detector makes sync.Pool drop values, and AddressSanitizer allocates, so these
// tests run without them.

// A pooled message costs no allocation in Go and, in steady state, none in C.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	p := newPool(t, pool.Config{})
	for name, endpoint := range map[string]string{"inproc": inprocName(), "tcp": tcp} {
		a, b := pair(t, zmq.Dealer, zmq.Dealer, endpoint)
		var r zmq.Message
		for _, size := range []int{0, 64, 1500, pool.CopyBelow, 65536} {
			data := pattern(size, 1)
			op := func() {
				m, err := p.GetBytes(data)
				if err != nil {
					t.Fatal(err)
				}
				if err := a.SendMessage(context.Background(), m); err != nil {
					t.Fatal(err)
				}
				p.Put(m)
				if err := b.RecvMessage(context.Background(), &r); err != nil {
					t.Fatal(err)
				}
			}
			require.Zero(t, testing.AllocsPerRun(1000, op), "%s %d", name, size)
		}
		require.NoError(t, r.Close())
	}
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		m, err := p.Get(1500)
		if err != nil {
			t.Fatal(err)
		}
		p.Put(m)
	}), "Get and Put")
}

func TestSteadyStateHits(t *testing.T) {
	for name, endpoint := range map[string]string{"inproc": inprocName(), "tcp": tcp, "ipc": "ipc://*"} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{64, 1500, 65536} {
				p := newPool(t, pool.Config{})
				a, b := pair(t, zmq.Push, zmq.Pull, endpoint)
				// Some misses come late, when more messages are on their way than before: a
				// few in all, however many messages there are.
				const n, window = 30_000, 8
				var r zmq.Message
				run := func(n int) {
					for i := range n + window {
						if i < n {
							m := get(t, p, size)
							send(t, a, p, m)
						}
						if i >= window {
							require.NoError(t, b.RecvMessage(context.Background(), &r))
						}
					}
				}
				run(2000) // the most that is on its way at once shows with time
				before := p.Stats()
				run(n)
				after := p.Stats()
				require.Less(t, float64(after.Misses-before.Misses)/n, 0.001, "size %d: %+v", size, after)
				require.NoError(t, r.Close())
			}
		})
	}
}
