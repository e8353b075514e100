package task_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
	"github.com/go-zmq/go-zmq/zmq/task"
)

// BenchmarkTasks has tasks of 64 bytes handled by one loop with a Prefetch of 100, and beside
// it as many requests of 64 bytes, of which 100 are under way, over tcp. In way=tracked the
// queue is told which worker has left.
func BenchmarkTasks(b *testing.B) {
	b.Run("way=task", func(b *testing.B) { benchmarkTask(b) })
	b.Run("way=tracked", func(b *testing.B) { benchmarkTask(b, zmq.TrackPeers.To(true)) })
	b.Run("way=request", benchmarkRequest)
}

func benchmarkTask(b *testing.B, settings ...zmq.Setting) {
	bed := newBed(b, task.QueueConfig{}, settings...)
	w := bed.worker(task.WorkerConfig{Prefetch: 100})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- work(ctx, w, func(t *task.Task) {
			if err := t.Ack(); err != nil {
				b.Error(err)
			}
		})
	}()
	p := make([]byte, 64)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if err := bed.Push(ctx, p); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, bed.Drain(ctx))
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
	b.StopTimer()
	cancel()
	<-done
}

func benchmarkRequest(b *testing.B) {
	zctx := newContext(b)
	router := newSocket(b, zctx, zmq.Router)
	require.NoError(b, router.Bind("tcp://127.0.0.1:*"))
	ctx, cancel := context.WithCancel(context.Background())
	server := request.Server{Workers: 1, Handle: func(context.Context, [][]byte) [][]byte { return [][]byte{nil} }}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, router) }()
	dealer := newSocket(b, zctx, zmq.Dealer)
	require.NoError(b, dealer.Connect(zmqtest.LastEndpoint(b, router)))
	client, err := request.NewClient(dealer, request.Config{})
	require.NoError(b, err)
	p := make([]byte, 64)
	b.ReportAllocs()
	b.ResetTimer()
	var left atomic.Int64
	left.Store(int64(b.N))
	var askers sync.WaitGroup
	for range 100 {
		askers.Go(func() {
			for left.Add(-1) >= 0 {
				if _, err := client.Request(ctx, p); err != nil {
					b.Error(err)
				}
			}
		})
	}
	askers.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
	b.StopTimer()
	require.NoError(b, client.Close())
	cancel()
	<-served
}
