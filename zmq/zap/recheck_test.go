package zap_test

import (
	"context"
	"net/netip"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// A client whose key was revoked is cut off, and one whose key is still allowed stays connected if
// the server tracks its peers.
func TestRecheckOfCurve(t *testing.T) {
	t.Parallel()
	zctx := zmqtest.NewContext(t)
	var revoked atomic.Pointer[string]
	a, err := zap.Start(zctx, zap.Policy{Curve: func(_, key string) bool { r := revoked.Load(); return r == nil || *r != key }})
	require.NoError(t, err)
	t.Cleanup(func() { a.Close() })
	public, secret, err := zmq.NewCurveKeypair()
	require.NoError(t, err)
	router := zmqtest.NewSocket(t, zctx, zmq.Router, zmq.TrackPeers.To(true), zmq.AsCurveServer(secret, zmq.Authenticated("domain")))
	m := zmqtest.Monitor(t, router, zmq.EventPeerJoined|zmq.EventPeerLeft)
	require.NoError(t, router.Bind("tcp://127.0.0.1:*"))
	clients, keys := map[string]*zmq.Socket{}, map[string]string{}
	for _, name := range []string{"stays", "goes"} {
		clientPublic, clientSecret, err := zmq.NewCurveKeypair()
		require.NoError(t, err)
		keys[name] = clientPublic
		s := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Dealer, zmq.RoutingID.To([]byte(name)),
			zmq.AsCurveClient(public, zmq.CurveKeys{Public: clientPublic, Secret: clientSecret}))
		require.NoError(t, s.Connect(zmqtest.LastEndpoint(t, router)))
		require.NoError(t, s.SendString(t.Context(), "before"))
		clients[name] = s
	}
	for range clients {
		zmqtest.Until(t, m, zmq.EventPeerJoined)
		zmqtest.RecvParts(t, router)
	}
	key := keys["goes"]
	revoked.Store(&key)
	before := router.Peers()
	require.Len(t, before, 2)
	require.NoError(t, a.Recheck(zmqtest.Within(t)))
	for range 10 {
		_ = clients["goes"].SendString(t.Context(), "after", zmq.DontWait)
	}
	left := zmqtest.Until(t, m, zmq.EventPeerLeft)
	require.Equal(t, "goes", string(left.Peer.RoutingID))
	require.Equal(t, key, left.Peer.UserID)
	require.ErrorIs(t, left.Err, syscall.EACCES)
	require.NoError(t, clients["stays"].SendString(t.Context(), "after"))
	require.Equal(t, "stays", string(zmqtest.RecvParts(t, router)[0]))
	stays := before[slices.IndexFunc(before, func(p zmq.PeerInfo) bool { return string(p.RoutingID) == "stays" })]
	require.Equal(t, []zmq.PeerInfo{stays}, router.Peers())
}

// NULL decides by address, which is known, so nobody else is disturbed.
func TestRecheckOfAddresses(t *testing.T) {
	t.Parallel()
	zctx := zmqtest.NewContext(t)
	a, err := zap.Start(zctx, zap.Policy{})
	require.NoError(t, err)
	t.Cleanup(func() { a.Close() })
	pull := zmqtest.NewSocket(t, zctx, zmq.Pull, zmq.ZapDomain.To("domain"))
	other := zmqtest.NewSocket(t, zctx, zmq.Pull)
	push := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Push)
	m := zmqtest.Monitor(t, pull, zmq.EventPeerJoined|zmq.EventPeerLeft)
	for _, s := range []*zmq.Socket{pull, other} {
		require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
		require.NoError(t, push.Connect(zmqtest.LastEndpoint(t, s)))
	}
	id := zmqtest.Until(t, m, zmq.EventPeerJoined).Peer.ID
	require.NoError(t, other.WaitConnected(zmqtest.Within(t), 1))
	require.NoError(t, a.Recheck(zmqtest.Within(t)))
	require.Equal(t, id, pull.Peers()[0].ID)
	require.NoError(t, a.SetPolicy(zap.Policy{Deny: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, a.Recheck(canceled), context.Canceled)
	require.Equal(t, id, pull.Peers()[0].ID)
	require.NoError(t, a.Recheck(zmqtest.Within(t)))
	require.Equal(t, id, zmqtest.Until(t, m, zmq.EventPeerLeft).Peer.ID)
	require.Len(t, other.Peers(), 1, "it does not ask")
	require.Error(t, (*zap.Authenticator)(nil).Recheck(t.Context()))
}
