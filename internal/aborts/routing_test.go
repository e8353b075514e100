//go:build unix

package aborts

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// tryRoutingID connects with ids that are taken, or may be.
func tryRoutingID(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	id := func(s *zmq.Socket, id string) error { return s.Set(zmq.ConnectRoutingID.To([]byte(id))) }
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Stream} {
		s := zmqtest.NewSocket(t, zctx, typ)
		require.NoError(t, id(s, "A"))
		require.NoError(t, s.Connect("tcp://127.0.0.1:1"))
		report(id(s, "A"))
		require.NoError(t, id(s, "B"))
		require.NoError(t, s.Connect("tcp://127.0.0.1:1"))
	}
	report(id(zmqtest.NewSocket(t, zctx, zmq.Router), "\x00abcd"))

	// A remote peer has chosen the id.
	router, dealer := zmqtest.NewSocket(t, zctx, zmq.Router), zmqtest.NewSocket(t, zctx, zmq.Dealer, zmq.RoutingID.To([]byte("A")))
	zmqtest.Connect(t, router, dealer, "tcp://127.0.0.1:*")
	require.NoError(t, dealer.Send(context.Background(), []byte("hello")))
	parts := zmqtest.RecvParts(t, router)
	require.Equal(t, "A", string(parts[0]))
	report(id(router, "A"))

	// It will choose it on a connection that we make.
	router = zmqtest.NewSocket(t, zctx, zmq.Router)
	require.NoError(t, router.Connect("tcp://127.0.0.1:1"))
	report(id(router, "A"))

	// Or before the Connect that the id is for.
	router = zmqtest.NewSocket(t, zctx, zmq.Router)
	require.NoError(t, id(router, "A"))
	report(router.Bind("tcp://127.0.0.1:*"))
	require.NoError(t, router.Set(zmq.Immediate.To(true)))
	report(router.Connect("tcp://127.0.0.1:1"))
}

// tryGuessedID takes the id that the ROUTER will make up for its next peer.
func tryGuessedID(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	router := zmqtest.NewSocket(t, zctx, zmq.Router)
	peer := func(settings ...zmq.Setting) []byte {
		d := zmqtest.NewSocket(t, zctx, zmq.Dealer, settings...)
		endpoint := zmqtest.LastEndpoint(t, router)
		require.NoError(t, d.Connect(endpoint))
		require.NoError(t, d.Send(context.Background(), []byte("hello")))
		ctx := zmqtest.Timeout(t, 10*time.Second)
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
	thief := zmqtest.NewSocket(t, zctx, zmq.Dealer)
	err := thief.Set(zmq.RoutingID.To(id))
	report(err)
	if err == nil {
		peer(zmq.RoutingID.To(id))
	}
	peer()
}

// tryRawProbe makes libzmq send an empty message on a raw connection.
func tryRawProbe(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	pair := zmqtest.NewSocket(t, zctx, zmq.Pair)
	require.NoError(t, pair.Bind("tcp://127.0.0.1:*"))
	endpoint := zmqtest.LastEndpoint(t, pair)
	options := []zmq.Setting{zmq.RouterRaw.To(true), zmq.ProbeRouter.To(true)}
	for i := range options {
		router := zmqtest.NewSocket(t, zctx, zmq.Router)
		require.NoError(t, router.Set(options[i]))
		report(router.Set(options[1-i]))
		require.NoError(t, router.Connect(endpoint))
		if i == 0 {
			// Its own id for the peer, and an empty part: it is connected.
			zmqtest.RecvParts(t, router)
		}
	}
	// Off is always possible.
	router := zmqtest.NewSocket(t, zctx, zmq.Router, zmq.ProbeRouter.To(true))
	require.NoError(t, router.Set(zmq.ProbeRouter.To(false), zmq.RouterRaw.To(true), zmq.ProbeRouter.To(false)))
}
