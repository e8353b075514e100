//go:build unix

package aborts

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

func tryInProxy(t *testing.T, report func(error)) {
	for i := range 20 {
		zctx := zmqtest.NewContext(t)
		sockets := bridge(t, zctx, zmq.Dealer, zmq.Router, zmq.Dealer, zmq.Dealer)
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
		p, end := runProxy(t, sockets[1], sockets[2])
		for moved := uint64(0); moved < uint64(i); {
			s, err := p.Statistics()
			require.NoError(t, err)
			moved = s.Frontend.MessagesReceived
			runtime.Gosched()
		}
		require.NoError(t, sockets[1+i%2].Close())
		report(<-end)
		require.NoError(t, zctx.Close())
		all.Wait()
	}
}

// bridge returns four sockets of which the second and third bind, and the first and last connect to
// them. They linger, because they are closed while messages of several parts are sent (row 35).
func bridge(t *testing.T, zctx *zmq.Context, types ...zmq.SocketType) (sockets [4]*zmq.Socket) {
	t.Helper()
	for i, typ := range types {
		sockets[i] = zmqtest.NewSocket(t, zctx, typ, zmq.SendHWM.To(3), zmq.Linger.To(100*time.Millisecond))
	}
	zmqtest.Connect(t, sockets[1], sockets[0], "tcp://127.0.0.1:*")
	zmqtest.Connect(t, sockets[2], sockets[3], "tcp://127.0.0.1:*")
	return sockets
}

// runProxy starts a proxy whose result end receives.
func runProxy(t *testing.T, front, back *zmq.Socket) (p *zmq.SteerableProxy, end chan error) {
	t.Helper()
	p, err := zmq.NewSteerableProxy(front, back, nil)
	require.NoError(t, err)
	end = make(chan error, 1)
	go func() { end <- p.Run(context.Background()) }()
	return p, end
}

// libzmq walks a topic recursively, so a peer that can send to such a proxy could abort the process.
func trySubscription(t *testing.T, report func(error)) {
	ctx := zmqtest.Within(t)
	s := bridge(t, zmqtest.NewContext(t), zmq.Push, zmq.Pull, zmq.XSub, zmq.XPub)
	// A bound XSUB sends its subscriptions to a later peer in its next call, which the proxy makes
	// when there is something to move.
	require.NoError(t, s[2].WaitConnected(ctx, 1))
	p, end := runProxy(t, s[1], s[2])
	report(s[0].Send(ctx, append([]byte{1}, bytes.Repeat([]byte{'x'}, 1<<20)...)))
	report(s[0].Send(ctx, []byte("\x01news")))
	got, err := s[3].RecvString(ctx)
	require.NoError(t, err)
	require.Equal(t, "\x01news", got)
	statistics, err := p.Statistics()
	require.NoError(t, err)
	require.Equal(t, uint64(1), statistics.Dropped)
	require.NoError(t, p.Terminate())
	require.NoError(t, <-end)
	require.NoError(t, s[2].Close())
}

func tryNoProxy(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	s := zmqtest.NewSocket(t, zctx, zmq.Dealer)
	ctx := context.Background()
	report(zmq.Proxy(ctx, nil, s, nil))
	report(zmq.Proxy(ctx, s, nil, nil))
	require.NoError(t, s.Close())
	report(zmq.Proxy(ctx, s, s, nil))
}
