package zmq_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/zmq"
)

// BenchmarkWake wakes one of many parked receivers at a time, over inproc. ns/wake is the time from
// the send until the receiver has the message and has said so over a channel. idle-cpu-% is the
// processor time while all are parked, as a share of one processor.
func BenchmarkWake(b *testing.B) {
	const idle = 500 * time.Millisecond
	for _, sockets := range []int{1, 100, 1000} {
		b.Run(fmt.Sprintf("sockets=%d", sockets), func(b *testing.B) {
			zctx := newContext(b, zmq.MaxSockets.To(sockets+10))
			push := newSocket(b, zctx, zmq.Push)
			pulls := make([]*zmq.Socket, sockets)
			received := make(chan struct{})
			for i := range pulls {
				pulls[i] = newSocket(b, zctx, zmq.Pull, zmq.SpinTime.To(0))
				connect(b, pulls[i], push, inprocName())
				go func() {
					for {
						if _, err := pulls[i].RecvBytes(context.Background()); err != nil {
							return // the context is closed at the end of the benchmark
						}
						received <- struct{}{}
					}
				}()
			}
			parked := func(s *zmq.Socket) {
				for s.Stats().Waiting == 0 {
					runtime.Gosched()
				}
			}
			for _, s := range pulls {
				parked(s)
			}
			before := testutil.ProcessTime(b)
			time.Sleep(idle) // the processor time of this period is measured
			used := testutil.ProcessTime(b) - before

			var total time.Duration
			for i := range b.N {
				parked(pulls[i%sockets]) // the next one, because a PUSH sends to its peers in turn
				begin := time.Now()
				require.NoError(b, push.Send(context.Background(), nil))
				<-received
				total += time.Since(begin)
			}
			b.ReportMetric(0, "ns/op") // of the setup for the most part
			b.ReportMetric(float64(total)/float64(b.N), "ns/wake")
			b.ReportMetric(100*float64(used)/float64(idle), "idle-cpu-%")
		})
	}
}
