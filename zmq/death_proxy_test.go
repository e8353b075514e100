//go:build unix

package zmq_test

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// What would make libzmq's own proxy abort, or a socket behind a proxy.
var proxyDeaths = []death{
	{"01 sockets of a proxy used by all and closed", dieInProxy, times(20, want(zmq.ErrClosed, "proxy", "closed"))},
	{"22 a long subscription through a proxy", dieOfSubscription, times(2, fine)},
	{"25 a proxy of nothing", dieOfNoProxy, []wanted{
		want(zmq.ErrClosed, "proxy", "frontend", "nil"),
		want(zmq.ErrClosed, "proxy", "backend", "nil"),
		want(zmq.ErrClosed, "proxy", "frontend", "closed"),
	}},
}

func TestProxyDeath(t *testing.T) { testDeaths(t, proxyDeaths) }

func dieInProxy(t *testing.T, report func(error)) {
	for i := range 20 {
		zctx := newContext(t)
		b := newBridge(t, zctx, tcpName, broker, zmq.SendHWM.To(3))
		sockets := []*zmq.Socket{b.near, b.front, b.back, b.far}
		var all sync.WaitGroup
		for _, s := range sockets {
			all.Go(func() {
				for s.SendMultipart(context.Background(), [][]byte{[]byte("a"), nil, []byte("b")}) == nil {
					continue
				}
			})
			all.Go(func() {
				for {
					if _, err := s.RecvMultipart(context.Background()); err != nil {
						return
					}
				}
			})
		}
		r := startProxy(t, b.front, b.back, nil)
		for r.moved(t) < uint64(i) {
			time.Sleep(time.Millisecond)
		}
		require.NoError(t, sockets[1+i%2].Close())
		report(r.result(t))
		require.NoError(t, zctx.Close())
		all.Wait()
	}
}

// libzmq walks a topic recursively, so that anybody who can send to such a proxy could
// end the process.
func dieOfSubscription(t *testing.T, report func(error)) {
	zctx := newContext(t)
	b := newBridge(t, zctx, tcpName, [4]zmq.SocketType{zmq.Push, zmq.Pull, zmq.XSub, zmq.XPub})
	// A bound XSUB tells a peer that comes later in its next call, which the proxy makes
	// when there is something to move.
	require.NoError(t, b.back.WaitConnected(within(t), 1))
	r := startProxy(t, b.front, b.back, nil)
	report(b.near.Send(context.Background(), append([]byte{1}, bytes.Repeat([]byte{'x'}, 1<<20)...)))
	report(b.near.Send(context.Background(), []byte("\x01news")))
	require.Equal(t, "\x01news", string(recvWithin(t, b.far)[0]))
	s, err := r.Statistics()
	require.NoError(t, err)
	require.Equal(t, uint64(1), s.Dropped)
	require.NoError(t, r.Terminate())
	require.NoError(t, r.result(t))
	require.NoError(t, b.back.Close())
}

func dieOfNoProxy(t *testing.T, report func(error)) {
	zctx := newContext(t)
	s := newSocket(t, zctx, zmq.Dealer)
	ctx := context.Background()
	report(zmq.Proxy(ctx, nil, s, nil))
	report(zmq.Proxy(ctx, s, nil, nil))
	require.NoError(t, s.Close())
	report(zmq.Proxy(ctx, s, s, nil))
}
