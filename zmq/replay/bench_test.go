package replay_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/replay"
)

// BenchmarkPublish compares publications with numbers and memory to plain ones of the same
// three parts, and of one part, over tcp. The sender waits when a window of messages is
// under way, so that none is dropped.
func BenchmarkPublish(b *testing.B) {
	const window = 500
	for _, size := range []int{64, 1024} {
		payload := make([]byte, size)
		for _, impl := range []string{"plain", "plain1", "replay"} {
			b.Run(fmt.Sprintf("size=%d/impl=%s", size, impl), func(b *testing.B) {
				zctx := newContext(b)
				p := newPublisher(b, zctx, "tcp://127.0.0.1:*", replay.PublisherConfig{})
				ctx, came := context.Background(), make(chan struct{}, 1000)
				done := make(chan struct{})
				parts := [][]byte{[]byte(topic), seqOf(0), payload}
				send := func() error { _, err := p.Publish(ctx, payload); return err }
				switch impl {
				case "replay":
					s := subscribe(b, zctx, p.endpoints, replay.SubscriberConfig{Topic: topic})
					go func() {
						defer close(done)
						for m, err := range s.Messages(ctx) {
							if err != nil || m.Seq%window == window-1 {
								came <- struct{}{}
							}
							if m.Seq == uint64(b.N)-1 || err != nil {
								return
							}
						}
					}()
				default:
					if send = func() error { return p.pub.SendMultipart(ctx, parts) }; impl == "plain1" {
						send = func() error { return p.pub.Send(ctx, payload) }
					}
					sub := newSocket(b, zctx, zmq.Sub, zmq.Subscribe.To(""))
					require.NoError(b, sub.Connect(p.endpoints[0]))
					go func() {
						defer close(done)
						for n := range b.N {
							if _, err := sub.RecvMultipart(ctx); err != nil || n%window == window-1 {
								came <- struct{}{}
							}
						}
					}()
				}
				require.NoError(b, p.pub.WaitSubscribers(ctx, 1))
				b.ReportAllocs()
				b.ResetTimer()
				for n := range b.N {
					if n > 0 && n%window == 0 {
						<-came
					}
					if err := send(); err != nil {
						b.Fatal(err)
					}
				}
				<-done
			})
		}
	}
}

// BenchmarkReplay measures a replay of 10,000 messages of 1 KiB over tcp, from the request to
// the last message.
func BenchmarkReplay(b *testing.B) {
	const messages = 10_000
	zctx := newContext(b)
	p := newPublisher(b, zctx, "tcp://127.0.0.1:*", replay.PublisherConfig{})
	for range messages {
		_, err := p.Publish(context.Background(), make([]byte, 1024))
		require.NoError(b, err)
	}
	for b.Loop() {
		s := subscribe(b, zctx, p.endpoints, replay.SubscriberConfig{Topic: topic, From: replay.FromOldest})
		for m, err := range s.Messages(context.Background()) {
			if err != nil || m.Seq == messages-1 {
				break
			}
		}
		require.NoError(b, s.Close())
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(time.Millisecond), "ms/replay")
}
