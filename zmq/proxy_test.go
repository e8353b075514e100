package zmq_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
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
	p := noErr(zmq.NewSteerableProxy(front, back, capture))(t)
	return runProxy(t, p)
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
	zctx                   *zmq.Context
	near, front, back, far *zmq.Socket
}

const tcp = "tcp://127.0.0.1:*"

// newBridge makes sockets of the types near, front, back, far; the middle ones bind.
// They linger a little, since the tests end while messages of many parts flow: see the
// row of LINGER in docs/safety.md.
func newBridge(t testing.TB, zctx *zmq.Context, endpoint string, types [4]zmq.SocketType, settings ...zmq.Setting) bridge {
	t.Helper()
	var s [4]*zmq.Socket
	for i, typ := range types {
		s[i] = newSocket(t, zctx, typ, append([]zmq.Setting{zmq.Linger.To(100 * time.Millisecond)}, settings...)...)
	}
	connect(t, s[1], s[0], endpoint)
	connect(t, s[2], s[3], another(endpoint))
	return bridge{zctx, s[0], s[1], s[2], s[3]}
}

// another returns an endpoint of the same transport that can be bound as well.
func another(endpoint string) string {
	if strings.HasPrefix(endpoint, "inproc:") {
		return inprocName()
	}
	return endpoint
}

// sendFifty sends messages 0, 1, ... n-1.
func sendFifty(ctx context.Context, s *zmq.Socket, n int, prefix ...[]byte) <-chan error {
	return async(func() error {
		return repeat(n, func(i int) error { return s.SendMultipart(ctx, append(prefix[:len(prefix):len(prefix)], fifty(i)...)) })
	})
}

// sendBatches sends n messages of a part each in batches.
func sendBatches(s *zmq.Socket, n, most int, part func(i int) []byte) error {
	b := zmq.NewBatch(most)
	defer b.Close()
	for i := 0; i < n; {
		for ; b.Len() < most && i < n; i++ {
			if err := b.Append(part(i)); err != nil {
				return err
			}
		}
		for b.Len() > 0 {
			if _, err := s.SendBatch(context.Background(), b); err != nil {
				return err
			}
		}
	}
	return nil
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

// Messages of 1 to 50 parts go both ways, intact and in order.
func TestProxyForwardsMultipart(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		b := newBridge(t, newContext(t), endpoint, equals)
		p := startProxy(t, b.front, b.back, nil)
		const messages = 500
		there, back := sendFifty(t.Context(), b.near, messages), sendFifty(t.Context(), b.far, messages)
		var bytes uint64
		for i := range messages {
			require.Equal(t, fifty(i), recvParts(t, b.far), i)
			require.Equal(t, fifty(i), recvParts(t, b.near), i)
			for _, part := range fifty(i) {
				bytes += uint64(len(part))
			}
		}
		require.NoError(t, <-there)
		require.NoError(t, <-back)
		want := zmq.ProxyTraffic{MessagesReceived: messages, BytesReceived: bytes, MessagesSent: messages, BytesSent: bytes}
		require.Equal(t, zmq.ProxyStatistics{Frontend: want, Backend: want}, noErr(p.Statistics())(t))
	})
}

// A million messages arrive once and in order, although queues are full all the time.
func TestProxyForwardsAMillion(t *testing.T) {
	messages := 1_000_000
	if testutil.Race || testing.Short() {
		messages = 50_000
	}
	b := newBridge(t, newContext(t), tcp, stream)
	p := startProxy(t, b.front, b.back, nil)
	sent := async(func() error {
		var part [64]byte
		return sendBatches(b.near, messages, 100, func(i int) []byte {
			binary.LittleEndian.PutUint64(part[:], uint64(i))
			return part[:]
		})
	})
	ctx := timeout(t, 2*time.Minute)
	in := newBatch(t, 256)
	for i := 0; i < messages; {
		require.NoError(t, errOf(b.far.RecvBatch(ctx, in)))
		for _, m := range in.All() {
			if len(m) != 1 || m[0].Len() != 64 || binary.LittleEndian.Uint64(m[0].Bytes()) != uint64(i) {
				require.FailNow(t, fmt.Sprintf("message %d is not what was sent", i))
			}
			i++
		}
	}
	require.NoError(t, <-sent)
	got := noErr(p.Statistics())(t)
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
		require.NoError(t, back.Bind(another(endpoint)))
		startProxy(t, front, back, nil)
		const clients, workers, requests = 8, 3, 50
		for range workers {
			w := newSocket(t, zctx, zmq.Rep)
			require.NoError(t, w.Connect(last(t, back)))
			go func() {
				for {
					parts, err := w.RecvMultipart(context.Background())
					if err != nil || w.SendMultipart(context.Background(), append(parts, []byte("done"))) != nil {
						return
					}
				}
			}()
		}
		var errs []<-chan error
		for i := range clients {
			s := newSocket(t, zctx, zmq.Req)
			require.NoError(t, s.Connect(last(t, front)))
			errs = append(errs, async(func() error {
				return repeat(requests, func(k int) error {
					ask := fmt.Sprintf("%d of %d", k, i)
					if err := s.SendString(context.Background(), ask); err != nil {
						return err
					}
					got, err := s.RecvMultipart(context.Background())
					if err == nil && (len(got) != 2 || string(got[0]) != ask || string(got[1]) != "done") {
						err = fmt.Errorf("%q was answered by %q", ask, got)
					}
					return err
				})
			}))
		}
		for _, err := range errs {
			require.NoError(t, <-err)
		}
	})
}

// A forwarder passes messages one way and subscriptions the other way.
func TestProxyForwarder(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		b := newBridge(t, newContext(t), endpoint, [4]zmq.SocketType{zmq.XPub, zmq.XSub, zmq.XPub, zmq.Sub})
		startProxy(t, b.front, b.back, nil)
		require.NoError(t, b.far.Subscribe("news."))
		require.Equal(t, [][]byte{[]byte("\x01news.")}, recvParts(t, b.near))
		require.NoError(t, b.near.SendString(context.Background(), "sports.1"))
		require.NoError(t, b.near.SendMultipart(context.Background(), [][]byte{[]byte("news.1"), []byte("it rains")}))
		require.Equal(t, [][]byte{[]byte("news.1"), []byte("it rains")}, recvParts(t, b.far))
		require.NoError(t, b.far.Unsubscribe("news."))
		require.Equal(t, [][]byte{[]byte("\x00news.")}, recvParts(t, b.near))
	})
}

// REP and REQ receive and send in turn, and so does a proxy between them.
func TestProxyInTurn(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newContext(t), inprocName(), [4]zmq.SocketType{zmq.Dealer, zmq.Rep, zmq.Req, zmq.Dealer})
	startProxy(t, b.front, b.back, nil)
	const requests = 20
	message := func(kind string, i int) [][]byte { return [][]byte{nil, fmt.Appendf(nil, "%s %d", kind, i)} }
	for i := range requests { // all at once, so that some wait
		require.NoError(t, b.near.SendMultipart(context.Background(), message("request", i)))
	}
	for i := range requests {
		require.Equal(t, message("request", i), clean(recvParts(t, b.far)))
		require.NoError(t, b.far.SendMultipart(context.Background(), message("reply", i)))
	}
	for i := range requests {
		require.Equal(t, message("reply", i), clean(recvParts(t, b.near)))
	}
}

// While a goroutine receives from a REP part by part, a proxy waits and does not try again
// and again. The same goroutine then replies.
func TestProxyInTurnWaits(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newContext(t), inprocName(), [4]zmq.SocketType{zmq.Dealer, zmq.Rep, zmq.Req, zmq.Dealer})
	p := startProxy(t, b.front, b.back, nil)
	for i := range 20 {
		request := [][]byte{nil, fmt.Appendf(nil, "request %d", i)}
		require.NoError(t, b.near.SendMultipart(context.Background(), request))
		require.Equal(t, request, clean(recvParts(t, b.far)))
		require.NoError(t, b.far.SendMultipart(context.Background(), request))
		require.Equal(t, request, clean(recvParts(t, b.near)))

		require.NoError(t, p.Pause())
		require.NoError(t, b.near.SendMultipart(context.Background(), [][]byte{nil, []byte("half"), []byte("whole")}))
		require.Equal(t, "half", recvString(t, b.front))
		require.NoError(t, p.Resume())
		waits := func() bool { return b.front.Stats().Waiting == 1 && b.back.Stats().Waiting == 1 }
		require.Eventually(t, waits, 30*time.Second, time.Millisecond)
		require.Equal(t, "whole", recvString(t, b.front))
		require.NoError(t, b.front.SendString(context.Background(), "reply"))
		require.Equal(t, [][]byte{nil, []byte("reply")}, clean(recvParts(t, b.near)))
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
			s, d := pair(t, typ, peer, tcp)
			p := startProxy(t, s, s, nil)
			for i := range 100 {
				message := [][]byte{nil, fmt.Appendf(nil, "echo %d", i)}
				require.NoError(t, d.SendMultipart(context.Background(), message))
				require.Equal(t, message, clean(recvParts(t, d)))
			}
			got := noErr(p.Statistics())(t)
			require.Equal(t, uint64(100), got.Frontend.MessagesReceived)
			require.Equal(t, uint64(100), got.Backend.MessagesSent)
			require.Zero(t, got.Backend.MessagesReceived)
		})
	}
}
