//go:build unix

package zmq_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/go-zmq/go-zmq/bench/cfloor"
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/zmq"
)

// BenchmarkProxy sends messages through two proxies between the same sockets: the proxy of
// package zmq, and zmq_proxy on a thread of C. An iteration is a message, or in roundtrip
// and broker a request with its reply. broker has 100 requests in flight.
func BenchmarkProxy(b *testing.B) {
	patterns := []struct {
		name  string
		types [4]zmq.SocketType
		run   func(testing.TB, bridge, int)
	}{
		{"pushpull", stream, streamThrough},
		{"roundtrip", broker, func(t testing.TB, br bridge, n int) { askThrough(t, br, n, 1) }},
		{"broker", broker, func(t testing.TB, br bridge, n int) { askThrough(t, br, n, 100) }},
	}
	for _, pattern := range patterns {
		for _, transport := range []string{"tcp", "inproc"} {
			for _, impl := range []string{"go", "c"} {
				b.Run(fmt.Sprintf("pattern=%s/transport=%s/size=64/impl=%s", pattern.name, transport, impl), func(b *testing.B) {
					endpoint := inprocName()
					if transport == "tcp" {
						endpoint = tcp
					}
					zctx := newContext(b)
					// A linger period that is set and not zero: the shutdown then leaves
					// the sockets that are C's alone.
					br := newBridge(b, zctx, endpoint, pattern.types, zmq.Linger.To(time.Millisecond))
					stop := startImpl(b, impl, zctx, br)
					pattern.run(b, br, 1000) // connects
					before := testutil.ProcessTime(b)
					b.ReportAllocs()
					b.ResetTimer()
					pattern.run(b, br, b.N)
					b.StopTimer()
					b.ReportMetric(float64(testutil.ProcessTime(b)-before)/float64(b.N), "cpu-ns/op")
					stop()
				})
			}
		}
	}
}

// startImpl starts a proxy of a kind, and returns what ends it.
func startImpl(b *testing.B, impl string, zctx *zmq.Context, br bridge) (stop func()) {
	if impl == "c" {
		p, err := cfloor.StartProxy(zmq.Handle(br.front), zmq.Handle(br.back))
		fatalOn(b, err)
		return func() {
			fatalOn(b, zctx.Shutdown())
			p.Join()
		}
	}
	r := startProxy(b, br.front, br.back, nil)
	return func() {
		fatalOn(b, r.Terminate())
		fatalOn(b, r.result(b))
	}
}

func streamThrough(t testing.TB, br bridge, n int) {
	const most = 256
	part := make([]byte, 64)
	sent := async(func() error {
		return sendBatches(br.near, n, most, func(int) []byte { return part })
	})
	in := zmq.NewBatch(most)
	defer in.Close()
	for got := 0; got < n; {
		k, err := br.far.RecvBatch(context.Background(), in)
		fatalOn(t, err)
		got += k
	}
	fatalOn(t, <-sent)
}

// askThrough sends n requests, of which so many are under way at a time.
func askThrough(t testing.TB, br bridge, n, window int) {
	worker := async(func() error {
		in := zmq.NewBatch(window)
		defer in.Close()
		for done := 0; done < n; {
			k, err := br.far.RecvBatch(t.Context(), in)
			if err != nil {
				return err
			}
			done += k
			if _, err := br.far.SendBatch(context.Background(), in); err != nil {
				return err
			}
		}
		return nil
	})
	in := zmq.NewBatch(window)
	defer in.Close()
	part := make([]byte, 64)
	for asked, got := 0, 0; got < n; {
		for ; asked < n && asked-got < window; asked++ {
			fatalOn(t, br.near.Send(context.Background(), part))
		}
		k, err := br.near.RecvBatch(context.Background(), in)
		fatalOn(t, err)
		got += k
	}
	fatalOn(t, <-worker)
}

func fatalOn(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
