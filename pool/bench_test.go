package pool_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

// The cost of the pool alone, without a socket.
func BenchmarkGetPut(b *testing.B) {
	for _, size := range []int{64, 65536} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			p := pool.New(pool.Config{})
			defer p.Close()
			b.ReportAllocs()
			for b.Loop() {
				m, err := p.Get(size)
				if err != nil {
					b.Fatal(err)
				}
				p.Put(m)
			}
		})
	}
}

func BenchmarkGetPutParallel(b *testing.B) {
	b.Run("size=64", func(b *testing.B) {
		p := pool.New(pool.Config{})
		defer p.Close()
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				m, err := p.Get(64)
				if err != nil {
					b.Error(err)
					return
				}
				p.Put(m)
			}
		})
	})
}

// One goroutine sends and receives a message over inproc. Its memory returns when the
// next one is received.
func BenchmarkSendRecv(b *testing.B) {
	for _, size := range []int{64, 1500, 65536, 262144} {
		b.Run(fmt.Sprintf("strategy=pooled/size=%d", size), func(b *testing.B) {
			p := pool.New(pool.Config{})
			defer p.Close()
			benchmarkSendRecv(b, func() (*zmq.Message, error) { return p.Get(size) }, p.Put)
			b.ReportMetric(100*p.Stats().HitRate(), "hit%")
		})
		b.Run(fmt.Sprintf("strategy=message/size=%d", size), func(b *testing.B) {
			var m zmq.Message
			benchmarkSendRecv(b, func() (*zmq.Message, error) { return &m, m.Alloc(size) }, func(*zmq.Message) {})
		})
	}
}

func benchmarkSendRecv(b *testing.B, get func() (*zmq.Message, error), put func(*zmq.Message)) {
	push, pull := pair(b, zmq.Push, zmq.Pull, inprocName())
	var r zmq.Message
	b.ReportAllocs()
	for b.Loop() {
		m, err := get()
		if err != nil {
			b.Fatal(err)
		}
		if err := push.SendMessage(context.Background(), m); err != nil {
			b.Fatal(err)
		}
		put(m)
		if err := pull.RecvMessage(context.Background(), &r); err != nil {
			b.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
}
