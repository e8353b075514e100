//go:build unix

package suite

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/go-zmq/go-zmq/bench/cfloor"
	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/zmq"
)

// Proxy sends messages through two proxies between the same sockets: the proxy of package zmq, and
// zmq_proxy on a thread of C. An iteration is a message, or in roundtrip and broker a request with
// its reply. broker has 100 requests in flight.
func Proxy(b *testing.B) {
	onlyNamed(b)
	stream := [4]zmq.SocketType{zmq.Push, zmq.Pull, zmq.Push, zmq.Pull}
	broker := [4]zmq.SocketType{zmq.Dealer, zmq.Router, zmq.Dealer, zmq.Dealer}
	patterns := []struct {
		name  string
		types [4]zmq.SocketType
		run   func(*testing.B, bridge, int)
	}{
		{"pushpull", stream, streamThrough},
		{"roundtrip", broker, func(b *testing.B, br bridge, n int) { askThrough(b, br, n, 1) }},
		{"broker", broker, func(b *testing.B, br bridge, n int) { askThrough(b, br, n, 100) }},
	}
	for _, pattern := range patterns {
		for _, transport := range []string{"tcp", "inproc"} {
			for _, impl := range []string{"go", "c"} {
				b.Run(fmt.Sprintf("pattern=%s/transport=%s/size=64/impl=%s", pattern.name, transport, impl), func(b *testing.B) {
					br := newBridge(b, transport, pattern.types)
					stop := startProxy(b, impl, br)
					pattern.run(b, br, 1000) // connects
					before := processTime(b)
					b.ReportAllocs()
					b.ResetTimer()
					pattern.run(b, br, b.N)
					b.StopTimer()
					b.ReportMetric(float64(processTime(b)-before)/float64(b.N), "cpu-ns/op")
					stop()
				})
			}
		}
	}
}

// A bridge is a proxy with a socket that is connected to either side.
type bridge struct {
	zctx                   *zmq.Context
	near, front, back, far *zmq.Socket
}

// newBridge makes sockets of the types near, front, back, far; the middle ones bind. Their linger
// period is set and not zero, so that the shutdown leaves the sockets that are C's alone.
func newBridge(b *testing.B, transport string, types [4]zmq.SocketType) bridge {
	zctx := newContext(b)
	var s [4]*zmq.Socket
	for i, typ := range types {
		var err error
		s[i], err = zctx.NewSocket(typ, zmq.Linger.To(time.Millisecond))
		check(b, err)
	}
	for i, pair := range [][2]*zmq.Socket{{s[1], s[0]}, {s[2], s[3]}} {
		endpoint := fmt.Sprintf("inproc://bridge-%d", i)
		if transport == "tcp" {
			endpoint = "tcp://127.0.0.1:*"
		}
		check(b, pair[0].Bind(endpoint))
		bound, err := pair[0].LastEndpoint()
		check(b, err)
		check(b, pair[1].Connect(bound))
	}
	return bridge{zctx, s[0], s[1], s[2], s[3]}
}

// startProxy starts a proxy of a kind, and returns what ends it.
func startProxy(b *testing.B, impl string, br bridge) (stop func()) {
	if impl == "c" {
		p, err := cfloor.StartProxy((*core.Of(br.front)).Handle(), (*core.Of(br.back)).Handle())
		check(b, err)
		return func() {
			check(b, br.zctx.Shutdown())
			p.Join()
		}
	}
	p, err := zmq.NewSteerableProxy(br.front, br.back, nil)
	check(b, err)
	done := async(func() error { return p.Run(context.Background()) })
	return func() {
		check(b, p.Terminate())
		check(b, <-done)
	}
}

// async calls f on a goroutine of its own.
func async(f func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	return done
}

// sendBatches sends n messages of the part in batches.
func sendBatches(s *zmq.Socket, n, most int, part []byte) error {
	out := zmq.NewBatch(most)
	defer out.Close()
	for n > 0 {
		for ; out.Len() < most && n > 0; n-- {
			if err := out.Append(part); err != nil {
				return err
			}
		}
		for out.Len() > 0 {
			if _, err := s.SendBatch(context.Background(), out); err != nil {
				return err
			}
		}
	}
	return nil
}

func streamThrough(b *testing.B, br bridge, n int) {
	const most = 256
	part := make([]byte, 64)
	sent := async(func() error {
		return sendBatches(br.near, n, most, part)
	})
	in := zmq.NewBatch(most)
	defer in.Close()
	for got := 0; got < n; {
		k, err := br.far.RecvBatch(context.Background(), in)
		check(b, err)
		got += k
	}
	check(b, <-sent)
}

// askThrough sends n requests, of which so many are under way at a time.
func askThrough(b *testing.B, br bridge, n, window int) {
	worker := async(func() error {
		in := zmq.NewBatch(window)
		defer in.Close()
		for done := 0; done < n; {
			k, err := br.far.RecvBatch(b.Context(), in)
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
			check(b, br.near.Send(context.Background(), part))
		}
		k, err := br.near.RecvBatch(context.Background(), in)
		check(b, err)
		got += k
	}
	check(b, <-worker)
}
