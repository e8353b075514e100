package zap_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// Sockets, the authenticator and the context may be closed during a Recheck.
func TestRecheckWhileEverythingCloses(t *testing.T) {
	t.Parallel()
	for range 20 {
		zctx, err := zmq.NewContext()
		require.NoError(t, err)
		a, err := zap.Start(zctx, zap.Policy{AllowLocal: true, Plain: func(_, _, _ string) bool { return true }})
		require.NoError(t, err)
		server, err := zctx.NewSocket(zmq.Pull, zmq.AsPlainServer("domain"))
		require.NoError(t, err)
		require.NoError(t, server.Bind("tcp://127.0.0.1:*"))
		client, err := zctx.NewSocket(zmq.Push, zmq.AsPlainClient("alice", "x"), zmq.Linger.To(0), zmq.ReconnectInterval.To(time.Millisecond))
		require.NoError(t, err)
		require.NoError(t, client.Connect(zmqtest.LastEndpoint(t, server)))
		require.NoError(t, server.WaitConnected(zmqtest.Within(t), 1))
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				for range 20 {
					_ = a.Recheck(t.Context()) // an error, or done: no crash
				}
			})
		}
		group.Go(func() { _ = server.Close() })
		group.Go(func() { _ = a.Close() })
		group.Go(func() { _ = zctx.Close() })
		group.Wait()
	}
}
