package zmq_test

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// The periods between attempts grow up to the limit, and the peer is found when it comes.
func TestReconnectBacksOff(t *testing.T) {
	t.Parallel()
	const least, most = 10 * time.Millisecond, 160 * time.Millisecond
	zctx := newContext(t)
	push := newSocket(t, zctx, zmq.Push, zmq.ReconnectInterval.To(least), zmq.ReconnectIntervalMax.To(most))
	m := monitor(t, push, zmq.EventConnectRetried|zmq.EventHandshakeSucceeded)
	endpoint := "ipc://" + filepath.Join(t.TempDir(), "s") // no socket is bound there
	require.NoError(t, push.Connect(endpoint))
	var periods []time.Duration
	for len(periods) < 10 {
		period := until(t, m, zmq.EventConnectRetried).RetryInterval
		// Of each, libzmq adds up to a least one by chance.
		bound := min(least<<len(periods), most) + least
		require.LessOrEqual(t, period, bound, "after %v", periods)
		periods = append(periods, period)
	}
	require.GreaterOrEqual(t, periods[len(periods)-1], most, "%v", periods)

	pull := newSocket(t, zctx, zmq.Pull)
	require.NoError(t, pull.Bind(endpoint))
	until(t, m, zmq.EventHandshakeSucceeded)
	require.NoError(t, push.SendString(context.Background(), "message"))
	recvBytes(t, pull)
}

// Heartbeats find a peer whose network stopped without an error. Its messages arrive again when
// the network works, without a call.
func TestHeartbeatsFindBlackHoles(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pub := newSocket(t, zctx, zmq.Pub)
	require.NoError(t, pub.Bind("tcp://127.0.0.1:*"))
	hole := newBlackHole(t, strings.TrimPrefix(last(t, pub), "tcp://"))
	sub := newSocket(t, zctx, zmq.Sub, zmq.Subscribe.To(""), zmq.ReconnectInterval.To(10*time.Millisecond),
		zmq.HeartbeatInterval.To(50*time.Millisecond), zmq.HeartbeatTimeout.To(200*time.Millisecond))
	require.NoError(t, sub.Connect("tcp://"+hole.address))
	publishedIs(t, pub, sub, "before")

	m := monitor(t, sub, zmq.EventHandshakeSucceeded|zmq.EventDisconnected)
	hole.shut()
	until(t, m, zmq.EventDisconnected)
	hole.open()
	until(t, m, zmq.EventHandshakeSucceeded)
	publishedIs(t, pub, sub, "after")
}

// publishedIs publishes a text until it has come: subscriptions take their time.
func publishedIs(t *testing.T, pub, sub *zmq.Socket, text string) {
	t.Helper()
	for ctx := soon(t); ; {
		require.NoError(t, pub.SendString(context.Background(), text))
		short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
		got, err := sub.RecvString(short)
		cancel()
		if err == nil && got == text {
			return
		}
		require.NoError(t, ctx.Err(), "waiting for %q", text)
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
	}
}

// A blackHole passes connections on. While it is shut, it takes them and what comes of
// them, and passes nothing.
type blackHole struct {
	address string
	gate    sync.RWMutex // locked while it is shut
	closed  bool         // it is; for the test's goroutine
}

func (h *blackHole) shut() {
	h.gate.Lock()
	h.closed = true
}

func (h *blackHole) open() {
	if h.closed {
		h.closed = false
		h.gate.Unlock()
	}
}

func newBlackHole(t *testing.T, target string) *blackHole {
	t.Helper()
	l := noErr(net.Listen("tcp", "127.0.0.1:0"))(t)
	h := &blackHole{address: l.Addr().String()}
	var work sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		h.open()
		_ = l.Close()
		cancel()
		work.Wait()
	})
	work.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := new(net.Dialer).DialContext(ctx, "tcp", target)
			if err != nil {
				_ = near.Close()
				continue
			}
			context.AfterFunc(ctx, func() { _, _ = near.Close(), far.Close() })
			work.Go(func() { h.pass(far, near) })
			work.Go(func() { h.pass(near, far) })
		}
	})
	return h
}

// pass passes on what comes until either end is closed, and then closes both.
func (h *blackHole) pass(to, from net.Conn) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		h.gate.RLock()
		if err == nil {
			_, err = to.Write(buf[:n])
		}
		if err != nil {
			_, _ = to.Close(), from.Close()
		}
		h.gate.RUnlock()
		if err != nil {
			return
		}
	}
}
