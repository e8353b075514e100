package interop

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

// A REP returns the number of a request without knowing of it.
func TestClientToRep(t *testing.T) {
	t.Parallel()
	overPeers(t, func(t *testing.T, ctx context.Context, at place) {
		s, p := connected(t, ctx, zmq.Dealer, at, "rep")
		client, err := request.NewClient(s, request.Config{})
		require.NoError(t, err)
		for i := range messages {
			reply, err := client.Request(ctx, message(i)...)
			require.NoError(t, err)
			same(t, message(i+1), reply, "reply", i)
		}
		p.done()
		require.NoError(t, client.Close())
		require.Zero(t, client.Stats().Late)
	})
}

// Many requests are under way to one REP, and each gets its own reply.
func TestManyRequestsToRep(t *testing.T) {
	t.Parallel()
	overPeers(t, func(t *testing.T, ctx context.Context, at place) {
		s, p := connected(t, ctx, zmq.Dealer, at, "echo")
		client, err := request.NewClient(s, request.Config{})
		require.NoError(t, err)
		replies := make([][][]byte, messages)
		var next atomic.Int64
		var askers sync.WaitGroup
		for range 20 {
			askers.Go(func() {
				for i := int(next.Add(1)) - 1; i < messages; i = int(next.Add(1)) - 1 {
					var err error
					if replies[i], err = client.Request(ctx, message(i)...); err != nil {
						t.Errorf("request %d: %v", i, err)
					}
				}
			})
		}
		askers.Wait()
		p.done()
		for i, reply := range replies {
			same(t, append(message(i), []byte("from the peer")), reply, "reply", i)
		}
		require.NoError(t, client.Close())
	})
}

// A Server answers a REQ, on a ROUTER and on a REP.
func TestServerToReq(t *testing.T) {
	t.Parallel()
	for _, kind := range []zmq.SocketType{zmq.Router, zmq.Rep} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			overPeers(t, func(t *testing.T, ctx context.Context, at place) {
				s, p := bound(t, ctx, kind, at, "req")
				var i atomic.Int64
				server := request.Server{Handle: func(_ context.Context, q [][]byte) [][]byte {
					n := int(i.Add(1))
					if len(q) != len(message(n-1)) {
						t.Errorf("request %d has parts of %v bytes", n-1, sizes(q))
					}
					return message(n)
				}}
				ctx, cancel := context.WithCancel(ctx)
				served := make(chan error, 1)
				go func() { served <- server.Serve(ctx, s) }()
				p.done()
				cancel()
				require.ErrorIs(t, <-served, context.Canceled)
				require.EqualValues(t, messages, server.Stats().Replies)
			})
		})
	}
}
