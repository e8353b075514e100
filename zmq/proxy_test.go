package zmq_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/zmq"
)

// A running is a proxy on a goroutine of its own.
type running struct {
	*zmq.SteerableProxy
	stop context.CancelFunc
	end  chan error
}

// startProxy runs a proxy until the test ends.
func startProxy(t testing.TB, front, back, capture *zmq.Socket) *running {
	t.Helper()
	p, err := zmq.NewSteerableProxy(front, back, capture)
	require.NoError(t, err)
	return runProxy(t, p)
}

// startPlainProxy runs the function Proxy until the test ends.
func startPlainProxy(t testing.TB, front, back, capture *zmq.Socket) {
	ctx, cancel := context.WithCancel(context.Background())
	end := make(chan error, 1)
	go func() { end <- zmq.Proxy(ctx, front, back, capture) }()
	t.Cleanup(func() { cancel(); require.ErrorIs(t, <-end, context.Canceled) })
}

func runProxy(t testing.TB, p *zmq.SteerableProxy) *running {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{SteerableProxy: p, stop: cancel, end: make(chan error, 1)}
	go func() { r.end <- p.Run(ctx) }()
	t.Cleanup(cancel)
	return r
}

// result waits for the end of the proxy.
func (r *running) result(t testing.TB) error {
	t.Helper()
	select {
	case err := <-r.end:
		return err
	case <-time.After(30 * time.Second):
		require.FailNow(t, "the proxy did not end")
		return nil
	}
}

// A bridge is a proxy with a socket that is connected to either side.
type bridge struct {
	near, front, back, far *zmq.Socket
}

// newBridge makes sockets of the types near, front, back, far; the middle ones bind.
// They linger a little, since the tests end while messages of many parts flow: see the
// row of LINGER in docs/safety.md.
func newBridge(t testing.TB, zctx *zmq.Context, endpoint func() string, types [4]zmq.SocketType, settings ...zmq.Setting) bridge {
	t.Helper()
	var s [4]*zmq.Socket
	for i, typ := range types {
		s[i] = newSocket(t, zctx, typ, append([]zmq.Setting{zmq.Linger.To(100 * time.Millisecond)}, settings...)...)
	}
	connect(t, s[1], s[0], endpoint())
	connect(t, s[2], s[3], endpoint())
	return bridge{s[0], s[1], s[2], s[3]}
}

var (
	stream = [4]zmq.SocketType{zmq.Push, zmq.Pull, zmq.Push, zmq.Pull}
	broker = [4]zmq.SocketType{zmq.Dealer, zmq.Router, zmq.Dealer, zmq.Dealer}
	equals = [4]zmq.SocketType{zmq.Dealer, zmq.Dealer, zmq.Dealer, zmq.Dealer}
)

// inFlow returns the types of sockets whose peers leave while messages of several parts flow. Not
// PUSH with AddressSanitizer: libzmq loses the parts that it has taken (see "What remains" in
// docs/safety.md), and the leak detector reports them.
func inFlow() map[string][4]zmq.SocketType {
	types := map[string][4]zmq.SocketType{"DEALER": equals}
	if !testutil.Asan {
		types["PUSH"] = stream
	}
	return types
}

func tcpName() string { return "tcp://127.0.0.1:*" }

// fifty makes message i: a number of parts from 1 to 50, each with its place.
func fifty(i int) [][]byte {
	parts := make([][]byte, 1+i%50)
	for k := range parts {
		part := make([]byte, 8+(i*31+k*7)%200)
		binary.LittleEndian.PutUint32(part, uint32(i))
		binary.LittleEndian.PutUint32(part[4:], uint32(k))
		for j := 8; j < len(part); j++ {
			part[j] = byte(i + j*k)
		}
		parts[k] = part
	}
	return parts
}

func recvWithin(t testing.TB, s *zmq.Socket) [][]byte {
	t.Helper()
	ctx := timeout(t, 30*time.Second)
	parts, err := s.RecvMultipart(ctx)
	require.NoError(t, err)
	return parts
}

// Messages of 1 to 50 parts go both ways, intact and in order.
func TestProxyForwardsMultipart(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		zctx := newContext(t)
		both := [4]zmq.SocketType{zmq.Dealer, zmq.Dealer, zmq.Dealer, zmq.Dealer}
		first := endpoint
		b := newBridge(t, zctx, func() string {
			e := first
			if first = endpoint; endpoint[:6] == "inproc" {
				first = inprocName()
			}
			return e
		}, both)
		p := startProxy(t, b.front, b.back, nil)
		const messages = 500
		errs := make(chan error, 2)
		for _, s := range []*zmq.Socket{b.near, b.far} {
			go func() {
				for i := range messages {
					if err := s.SendMultipart(t.Context(), fifty(i)); err != nil {
						errs <- err
						return
					}
				}
				errs <- nil
			}()
		}
		for i := range messages {
			require.Equal(t, fifty(i), recvWithin(t, b.far), i)
			require.Equal(t, fifty(i), recvWithin(t, b.near), i)
		}
		require.NoError(t, <-errs)
		require.NoError(t, <-errs)
		var bytes uint64
		for i := range messages {
			for _, part := range fifty(i) {
				bytes += uint64(len(part))
			}
		}
		want := zmq.ProxyTraffic{MessagesReceived: messages, BytesReceived: bytes, MessagesSent: messages, BytesSent: bytes}
		got, err := p.Statistics()
		require.NoError(t, err)
		require.Equal(t, zmq.ProxyStatistics{Frontend: want, Backend: want}, got)
	})
}

// A million messages arrive once and in order, although queues are full all the time.
func TestProxyForwardsAMillion(t *testing.T) {
	messages := 1_000_000
	if testutil.Race {
		messages = 50_000
	}
	if testing.Short() {
		messages = min(messages, 50_000)
	}
	zctx := newContext(t)
	b := newBridge(t, zctx, tcpName, stream)
	p := startProxy(t, b.front, b.back, nil)
	sent := make(chan error, 1)
	go func() {
		batch := zmq.NewBatch(100)
		defer batch.Close()
		var part [64]byte
		for i := 0; i < messages; {
			for ; batch.Len() < 100 && i < messages; i++ {
				binary.LittleEndian.PutUint64(part[:], uint64(i))
				if err := batch.Append(part[:]); err != nil {
					sent <- err
					return
				}
			}
			for batch.Len() > 0 {
				if _, err := b.near.SendBatch(t.Context(), batch); err != nil {
					sent <- err
					return
				}
			}
		}
		sent <- nil
	}()
	ctx := timeout(t, 2*time.Minute)
	in := zmq.NewBatch(256)
	defer in.Close()
	for i := 0; i < messages; {
		_, err := b.far.RecvBatch(ctx, in)
		require.NoError(t, err)
		for _, m := range in.All() {
			if len(m) != 1 || m[0].Len() != 64 || binary.LittleEndian.Uint64(m[0].Bytes()) != uint64(i) {
				require.FailNow(t, fmt.Sprintf("message %d is not what was sent", i))
			}
			i++
		}
	}
	require.NoError(t, <-sent)
	got, err := p.Statistics()
	require.NoError(t, err)
	require.Equal(t, uint64(messages), got.Backend.MessagesSent)
	require.Equal(t, uint64(messages)*64, got.Frontend.BytesReceived)
	require.Zero(t, got.Dropped)
}

// A broker: requests of many clients to many workers, and the replies back.
func TestProxyBroker(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		zctx := newContext(t)
		front, back := newSocket(t, zctx, zmq.Router), newSocket(t, zctx, zmq.Dealer)
		require.NoError(t, front.Bind(endpoint))
		if endpoint[:6] == "inproc" {
			endpoint = inprocName()
		}
		require.NoError(t, back.Bind(endpoint))
		frontAt := last(t, front)
		backAt := last(t, back)
		startProxy(t, front, back, nil)
		const clients, workers, requests = 8, 3, 50
		for range workers {
			w := newSocket(t, zctx, zmq.Rep)
			require.NoError(t, w.Connect(backAt))
			go func() {
				for {
					parts, err := w.RecvMultipart(context.Background())
					if err != nil {
						return
					}
					if err := w.SendMultipart(context.Background(), append(parts, []byte("done"))); err != nil {
						return
					}
				}
			}()
		}
		errs := make(chan error, clients)
		for i := range clients {
			s := newSocket(t, zctx, zmq.Req)
			require.NoError(t, s.Connect(frontAt))
			go func() {
				for k := range requests {
					ask := fmt.Sprintf("%d of %d", k, i)
					if err := s.SendString(context.Background(), ask); err != nil {
						errs <- err
						return
					}
					got, err := s.RecvMultipart(context.Background())
					if err == nil && (len(got) != 2 || string(got[0]) != ask || string(got[1]) != "done") {
						err = fmt.Errorf("%q was answered by %q", ask, got)
					}
					if err != nil {
						errs <- err
						return
					}
				}
				errs <- nil
			}()
		}
		for range clients {
			require.NoError(t, <-errs)
		}
	})
}

// A forwarder passes messages one way and subscriptions the other way.
func TestProxyForwarder(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		zctx := newContext(t)
		front, back := newSocket(t, zctx, zmq.XSub), newSocket(t, zctx, zmq.XPub)
		pub, sub := newSocket(t, zctx, zmq.XPub), newSocket(t, zctx, zmq.Sub)
		connect(t, front, pub, endpoint)
		if endpoint[:6] == "inproc" {
			endpoint = inprocName()
		}
		connect(t, back, sub, endpoint)
		startProxy(t, front, back, nil)
		require.NoError(t, sub.Subscribe("news."))
		require.Equal(t, [][]byte{[]byte("\x01news.")}, recvWithin(t, pub))
		require.NoError(t, pub.SendString(context.Background(), "sports.1"))
		require.NoError(t, pub.SendMultipart(context.Background(), [][]byte{[]byte("news.1"), []byte("it rains")}))
		require.Equal(t, [][]byte{[]byte("news.1"), []byte("it rains")}, recvWithin(t, sub))
		require.NoError(t, sub.Unsubscribe("news."))
		require.Equal(t, [][]byte{[]byte("\x00news.")}, recvWithin(t, pub))
	})
}

// REP and REQ receive and send in turn, and so does a proxy between them.
func TestProxyInTurn(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	b := newBridge(t, zctx, inprocName, [4]zmq.SocketType{zmq.Dealer, zmq.Rep, zmq.Req, zmq.Dealer})
	startProxy(t, b.front, b.back, nil)
	const requests = 20
	for i := range requests { // all at once, so that some wait
		require.NoError(t, b.near.SendMultipart(context.Background(), [][]byte{nil, fmt.Appendf(nil, "request %d", i)}))
	}
	for i := range requests {
		got := recvWithin(t, b.far)
		require.Equal(t, [][]byte{nil, fmt.Appendf(nil, "request %d", i)}, clean(got))
		require.NoError(t, b.far.SendMultipart(context.Background(), [][]byte{nil, fmt.Appendf(nil, "reply %d", i)}))
	}
	for i := range requests {
		require.Equal(t, [][]byte{nil, fmt.Appendf(nil, "reply %d", i)}, clean(recvWithin(t, b.near)))
	}
}

// While a goroutine receives from a REP part by part, a proxy waits and does not try again
// and again. The same goroutine then replies.
func TestProxyInTurnWaits(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	b := newBridge(t, zctx, inprocName, [4]zmq.SocketType{zmq.Dealer, zmq.Rep, zmq.Req, zmq.Dealer})
	p := startProxy(t, b.front, b.back, nil)
	for i := range 20 {
		request := [][]byte{nil, fmt.Appendf(nil, "request %d", i)}
		require.NoError(t, b.near.SendMultipart(context.Background(), request))
		require.Equal(t, request, clean(recvWithin(t, b.far)))
		require.NoError(t, b.far.SendMultipart(context.Background(), request))
		require.Equal(t, request, clean(recvWithin(t, b.near)))

		require.NoError(t, p.Pause())
		require.NoError(t, b.near.SendMultipart(context.Background(), [][]byte{nil, []byte("half"), []byte("whole")}))
		require.Equal(t, "half", recvString(t, b.front))
		require.NoError(t, p.Resume())
		waits := func() bool { return b.front.Stats().Waiting == 1 && b.back.Stats().Waiting == 1 }
		require.Eventually(t, waits, 30*time.Second, time.Millisecond)
		require.Equal(t, "whole", recvString(t, b.front))
		require.NoError(t, b.front.SendString(context.Background(), "reply"))
		require.Equal(t, [][]byte{nil, []byte("reply")}, clean(recvWithin(t, b.near)))
	}
	require.Zero(t, b.front.Stats().RecvWouldBlock)
	require.Zero(t, b.back.Stats().RecvWouldBlock)
}

// clean makes empty parts nil, so that they can be compared.
func clean(parts [][]byte) [][]byte {
	for i := range parts {
		if len(parts[i]) == 0 {
			parts[i] = nil
		}
	}
	return parts
}

// With one socket for both, messages go back to where they came from.
func TestProxyOfOneSocket(t *testing.T) {
	t.Parallel()
	for _, typ := range []zmq.SocketType{zmq.Dealer, zmq.Router, zmq.Pair, zmq.Rep} {
		t.Run(typ.String(), func(t *testing.T) {
			t.Parallel()
			peer := zmq.Dealer
			if typ == zmq.Pair {
				peer = zmq.Pair
			}
			s, d := pair(t, typ, peer, tcpName())
			p := startProxy(t, s, s, nil)
			for i := range 100 {
				message := [][]byte{nil, fmt.Appendf(nil, "echo %d", i)}
				require.NoError(t, d.SendMultipart(context.Background(), message))
				require.Equal(t, message, clean(recvWithin(t, d)))
			}
			got, err := p.Statistics()
			require.NoError(t, err)
			require.Equal(t, uint64(100), got.Frontend.MessagesReceived)
			require.Equal(t, uint64(100), got.Backend.MessagesSent)
			require.Zero(t, got.Backend.MessagesReceived)
		})
	}
}
