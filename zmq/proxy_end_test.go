package zmq_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A proxy ends when one of its sockets does, idle or paused, and says which.
func TestProxyEndsWithASocket(t *testing.T) {
	t.Parallel()
	for name, e := range ends {
		for which, role := range []string{"frontend", "backend", "capture"} {
			for _, paused := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/paused=%t", name, role, paused), func(t *testing.T) {
					t.Parallel()
					// Of different contexts, so that one of them can end alone.
					var c [3]*zmq.Context
					var s [3]*zmq.Socket
					for i, typ := range []zmq.SocketType{zmq.Pull, zmq.Push, zmq.Pub} {
						c[i] = newContext(t)
						s[i] = newSocket(t, c[i], typ)
						require.NoError(t, s[i].Bind(inprocName()))
					}
					p := noErr(zmq.NewSteerableProxy(s[0], s[1], s[2]))(t)
					if paused {
						require.NoError(t, p.Pause())
					}
					r := runProxy(t, p)
					require.NoError(t, e.end(c[which], s[which]))
					requireFails(t, r.result(t), e.want, role+": ")
					require.ErrorIs(t, r.Run(t.Context()), e.want, "and again")
				})
			}
		}
	}
}

// Sockets that are closed while messages flow.
func TestProxyClosedInFlow(t *testing.T) {
	t.Parallel()
	for name, types := range inFlow() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			closeInFlow(t, types)
		})
	}
}

func closeInFlow(t *testing.T, types [4]zmq.SocketType) {
	for i := range 30 {
		b := newBridge(t, newContext(t), tcp, types, zmq.Linger.To(300*time.Millisecond)) // longer than a thread of libzmq's is held up
		capture := newSocket(t, b.zctx, zmq.Pub)
		r := startProxy(t, b.front, b.back, capture)
		sending := sendFifty(context.Background(), b.near, math.MaxInt)
		receiving := async(func() error {
			return repeat(math.MaxInt, func(int) error { _, err := b.far.RecvMultipart(context.Background()); return err })
		})
		for r.moved(t) == 0 {
			time.Sleep(time.Millisecond)
		}
		want := zmq.ErrClosed
		switch i % 5 {
		case 0:
			require.NoError(t, b.front.Close())
		case 1:
			require.NoError(t, b.back.Close())
		case 2:
			require.NoError(t, capture.Close())
		case 3:
			require.NoError(t, b.zctx.Shutdown())
			want = zmq.ErrTerminated
		case 4:
			require.NoError(t, b.zctx.Close())
		}
		require.ErrorIs(t, r.result(t), want)
		require.NoError(t, b.zctx.Close())
		require.Error(t, <-sending)
		require.Error(t, <-receiving)
	}
}

// moved returns how many messages the proxy has moved from its frontend.
func (r *running) moved(t testing.TB) uint64 {
	t.Helper()
	s := noErr(r.Statistics())(t)
	return s.Frontend.MessagesReceived
}

// Proxies that are cancelled all the time lose nothing, and repeat nothing. The queues are
// short, so that proxies often end with a message for which the other side has no room.
func TestProxyLosesNothingWhenCancelled(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newContext(t), inprocName(), stream, zmq.SendHWM.To(3), zmq.RecvHWM.To(3))
	const messages = 20_000
	message := func(i int) [][]byte { part := []byte(strconv.Itoa(i)); return [][]byte{part, part, part} }
	sent := async(func() error {
		return repeat(messages, func(i int) error { return b.near.SendMultipart(context.Background(), message(i)) })
	})
	stop, cancelAll := context.WithCancel(context.Background())
	proxies := async(func() error {
		for i := 0; stop.Err() == nil; i++ {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%7)*100*time.Microsecond)
			err := zmq.Proxy(ctx, b.front, b.back, nil)
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
		}
		return nil
	})
	for i := range messages {
		requireParts(t, message(i), recvParts(t, b.far))
	}
	require.NoError(t, <-sent)
	cancelAll()
	require.NoError(t, <-proxies)
}

func TestProxyRefuses(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	sockets := map[zmq.SocketType]*zmq.Socket{}
	for typ := zmq.Pair; typ <= zmq.Stream; typ++ {
		sockets[typ] = newSocket(t, zctx, typ)
	}
	closed := newSocket(t, zctx, zmq.Dealer)
	require.NoError(t, closed.Close())
	router, dealer := sockets[zmq.Router], sockets[zmq.Dealer]
	for name, test := range map[string]struct {
		front, back, capture *zmq.Socket
		want                 error
		says                 string
	}{
		"nil frontend":       {nil, dealer, nil, zmq.ErrClosed, "frontend: the socket is nil"},
		"nil backend":        {router, nil, nil, zmq.ErrClosed, "backend: the socket is nil"},
		"zero frontend":      {new(zmq.Socket), dealer, nil, zmq.ErrClosed, "frontend"},
		"zero capture":       {router, dealer, new(zmq.Socket), zmq.ErrClosed, "capture"},
		"closed frontend":    {closed, dealer, nil, zmq.ErrClosed, "frontend: socket or context is closed"},
		"closed backend":     {router, closed, nil, zmq.ErrClosed, "backend: socket or context is closed"},
		"closed capture":     {router, dealer, closed, zmq.ErrClosed, "capture: socket or context is closed"},
		"frontend captures":  {router, dealer, router, syscall.EINVAL, "third socket"},
		"backend captures":   {router, dealer, dealer, syscall.EINVAL, "third socket"},
		"capture is a PULL":  {router, dealer, sockets[zmq.Pull], zmq.ErrNotSupported, "capture"},
		"capture is a SUB":   {router, dealer, sockets[zmq.Sub], zmq.ErrNotSupported, "capture"},
		"capture is a REQ":   {router, dealer, sockets[zmq.Req], zmq.ErrNotSupported, "capture"},
		"nothing to receive": {sockets[zmq.Push], sockets[zmq.Pub], nil, zmq.ErrNotSupported, "from PUSH to PUB"},
		"nothing to send":    {sockets[zmq.Pull], sockets[zmq.Sub], nil, zmq.ErrNotSupported, "from PULL to SUB"},
		"one PULL":           {sockets[zmq.Pull], sockets[zmq.Pull], nil, zmq.ErrNotSupported, "from PULL to PULL"},
	} {
		_, err := zmq.NewSteerableProxy(test.front, test.back, test.capture)
		require.ErrorIs(t, err, test.want, name)
		require.ErrorContains(t, err, test.says, name)
		err = zmq.Proxy(t.Context(), test.front, test.back, test.capture)
		require.ErrorIs(t, err, test.want, name)
		var e *zmq.Error
		require.ErrorAs(t, err, &e, name)
		require.Equal(t, "proxy", e.Op, name)
	}
	// Every other pair of types is run, and can be stopped.
	for a, front := range sockets {
		for b, back := range sockets {
			p, err := zmq.NewSteerableProxy(front, back, sockets[zmq.Pub])
			if err != nil {
				continue
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			require.ErrorIs(t, p.Run(ctx), context.DeadlineExceeded, "%s, %s", a, b)
			cancel()
		}
	}
}
