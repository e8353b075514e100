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
