package core

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// With several I/O threads every connection counts, however its events were ordered.
func TestWaitPeersWithIOThreads(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	c := newContext(t)
	require.NoError(t, c.SetOption(libzmq.CtxIOThreads, 4))
	router := newTestSocket(t, c, libzmq.Router, 0)
	m, err := router.Monitor(libzmq.MonitorAll)
	require.NoError(t, err)
	require.NoError(t, router.Bind("tcp://127.0.0.1:*"))
	const peers = 50
	var dealers []*Socket
	for range peers {
		dealer := newTestSocket(t, c, libzmq.Dealer, 0)
		require.NoError(t, dealer.Connect(router.Endpoint()))
		dealers = append(dealers, dealer)
	}
	require.NoError(t, router.WaitPeers(ctx, peers))
	for _, dealer := range dealers {
		require.NoError(t, dealer.WaitPeers(ctx, 1))
		require.NoError(t, dealer.Close())
	}
	accepted, succeeded, ended := 0, 0, 0
	for ended < peers {
		e, err := m.Next(ctx, false)
		require.NoError(t, err)
		require.Equal(t, router.Endpoint(), e.Endpoint)
		switch e.Event {
		case libzmq.MonitorAccepted:
			accepted++
		case libzmq.MonitorSucceeded:
			succeeded++
		case libzmq.MonitorDisconnected:
			ended++
		}
	}
	require.Zero(t, router.Stats().Peers)
}
