//go:build unix

package zmq_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// Ids and options of ROUTER sockets at which libzmq aborts.
var routingDeaths = []death{
	{"09 a routing id used twice", dieOfRoutingID, []wanted{
		want(syscall.EINVAL, "CONNECT_ROUTING_ID", `"A"`, "has used the ID"),
		want(syscall.EINVAL, "CONNECT_ROUTING_ID", `"A"`, "has used the ID"),
		want(syscall.EINVAL, "CONNECT_ROUTING_ID", "zero byte"),
		want(syscall.EINVAL, "CONNECT_ROUTING_ID", "peer", "before the first Bind"),
		want(syscall.EINVAL, "CONNECT_ROUTING_ID", "peer", "before the first Bind"),
		want(syscall.EINVAL, "bind", "ConnectRoutingID", "connect first"),
		want(syscall.EINVAL, "connect", "ConnectRoutingID", "Immediate"),
	}},
	{"09 a routing id like those that libzmq makes up", dieOfGuessedID, []wanted{want(syscall.EINVAL, "ROUTING_ID", "zero byte")}},
	{"34 a raw ROUTER that probes its peers", dieOfRawProbe, []wanted{
		want(syscall.EINVAL, "PROBE_ROUTER", "RouterRaw"), want(syscall.EINVAL, "ROUTER_RAW", "ProbeRouter"),
	}},
}

// dieOfRoutingID connects with ids that are taken, or may be.
func dieOfRoutingID(t *testing.T, report func(error)) {
	zctx := newContext(t)
	id := func(s *zmq.Socket, id string) error { return s.Set(zmq.ConnectRoutingID.To([]byte(id))) }
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Stream} {
		s := newSocket(t, zctx, typ)
		require.NoError(t, id(s, "A"))
		require.NoError(t, s.Connect("tcp://127.0.0.1:1"))
		report(id(s, "A"))
		require.NoError(t, id(s, "B"))
		require.NoError(t, s.Connect("tcp://127.0.0.1:1"))
	}
	report(id(newSocket(t, zctx, zmq.Router), "\x00abcd"))

	// A remote peer has chosen the id.
	router, dealer := newSocket(t, zctx, zmq.Router), newSocket(t, zctx, zmq.Dealer, zmq.RoutingID.To([]byte("A")))
	connect(t, router, dealer, "tcp://127.0.0.1:*")
	require.NoError(t, dealer.Send(context.Background(), []byte("hello")))
	parts, err := router.RecvMultipart(context.Background())
	require.NoError(t, err)
	require.Equal(t, "A", string(parts[0]))
	report(id(router, "A"))

	// It will choose it on a connection that we make.
	router = newSocket(t, zctx, zmq.Router)
	require.NoError(t, router.Connect("tcp://127.0.0.1:1"))
	report(id(router, "A"))

	// Or before the Connect that the id is for.
	router = newSocket(t, zctx, zmq.Router)
	require.NoError(t, id(router, "A"))
	report(router.Bind("tcp://127.0.0.1:*"))
	require.NoError(t, router.Set(zmq.Immediate.To(true)))
	report(router.Connect("tcp://127.0.0.1:1"))
}

// dieOfGuessedID takes the id that the ROUTER will make up for its next peer.
func dieOfGuessedID(t *testing.T, report func(error)) {
	zctx := newContext(t)
	router := newSocket(t, zctx, zmq.Router)
	peer := func(settings ...zmq.Setting) []byte {
		d := newSocket(t, zctx, zmq.Dealer, settings...)
		endpoint, err := router.LastEndpoint()
		require.NoError(t, err)
		require.NoError(t, d.Connect(endpoint))
		require.NoError(t, d.Send(context.Background(), []byte("hello")))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		parts, err := router.RecvMultipart(ctx)
		require.NoError(t, err)
		return parts[0]
	}
	require.NoError(t, router.Bind("tcp://127.0.0.1:*"))
	id := peer()
	require.Len(t, id, 5)
	for i := len(id) - 1; i > 0; i-- { // a number in network byte order
		if id[i]++; id[i] != 0 {
			break
		}
	}
	thief := newSocket(t, zctx, zmq.Dealer)
	err := thief.Set(zmq.RoutingID.To(id))
	report(err)
	if err == nil {
		peer(zmq.RoutingID.To(id))
	}
	peer()
}

// dieOfRawProbe makes libzmq send an empty message on a raw connection.
func dieOfRawProbe(t *testing.T, report func(error)) {
	zctx := newContext(t)
	pair := newSocket(t, zctx, zmq.Pair)
	require.NoError(t, pair.Bind("tcp://127.0.0.1:*"))
	endpoint, err := pair.LastEndpoint()
	require.NoError(t, err)
	options := []zmq.Setting{zmq.RouterRaw.To(true), zmq.ProbeRouter.To(true)}
	for i := range options {
		router := newSocket(t, zctx, zmq.Router)
		require.NoError(t, router.Set(options[i]))
		report(router.Set(options[1-i]))
		require.NoError(t, router.Connect(endpoint))
		if i == 0 {
			// Its own id for the peer, and an empty part: it is connected.
			_, err := router.RecvMultipart(context.Background())
			require.NoError(t, err)
		}
	}
	// Off is always possible.
	router := newSocket(t, zctx, zmq.Router, zmq.ProbeRouter.To(true))
	require.NoError(t, router.Set(zmq.ProbeRouter.To(false), zmq.RouterRaw.To(true), zmq.ProbeRouter.To(false)))
}
