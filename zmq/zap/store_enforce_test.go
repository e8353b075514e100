package zap_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// A client whose certificate is deleted is cut off, and cannot come back.
func TestStoreEnforcesRemoval(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	own, err := zap.NewCertificate()
	require.NoError(t, err)
	require.NoError(t, own.Save(filepath.Join(dir, "client")))
	store, err := zap.NewDirectoryStore(dir, time.Millisecond)
	require.NoError(t, err)
	zctx := zmqtest.NewContext(t)
	a, err := zap.Start(zctx, zap.Policy{Curve: store.Allowed})
	require.NoError(t, err)
	defer a.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- store.Enforce(ctx, a) }()

	server, err := zap.NewCertificate()
	require.NoError(t, err)
	pull := zmqtest.NewSocket(t, zctx, zmq.Pull, zmq.AsCurveServer(server.Secret, zmq.Authenticated("domain")))
	m := zmqtest.Monitor(t, pull, zmq.EventPeerJoined|zmq.EventPeerLeft|zmq.EventHandshakeFailedAuth)
	require.NoError(t, pull.Bind("tcp://127.0.0.1:*"))
	push := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Push,
		zmq.AsCurveClient(server.Public, zmq.CurveKeys{Public: own.Public, Secret: own.Secret}), zmq.ReconnectInterval.To(time.Millisecond))
	require.NoError(t, push.Connect(zmqtest.LastEndpoint(t, pull)))
	require.NoError(t, push.SendString(zmqtest.Within(t), "before"))
	require.Equal(t, "before", zmqtest.RecvString(t, pull))
	zmqtest.Until(t, m, zmq.EventPeerJoined)

	require.NoError(t, os.Remove(filepath.Join(dir, "client")))
	require.ErrorIs(t, zmqtest.Until(t, m, zmq.EventPeerLeft).Err, syscall.EACCES)
	zmqtest.Until(t, m, zmq.EventHandshakeFailedAuth)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.ErrorIs(t, store.Enforce(t.Context(), nil), syscall.EINVAL)
}

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
