package core

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A bind that failed leaves the port to sockets of the other type, unless another bind
// succeeded.
func TestPortsOfFailedBinds(t *testing.T) {
	newContext(t) // loads libzmq
	const endpoint = "udp://127.0.0.1:65535"
	dish, dgram, radio := &Socket{shared: shared{typ: libzmq.Dish}}, &Socket{shared: shared{typ: libzmq.Dgram}}, &Socket{shared: shared{typ: libzmq.Radio}}
	require.NoError(t, dish.claimPort(endpoint))
	dish.freePort(endpoint)
	require.NoError(t, dgram.claimPort(endpoint))
	require.NoError(t, dgram.claimPort(endpoint))
	dgram.freePort(endpoint)
	for _, s := range []*Socket{dish, radio} {
		s.freePort(endpoint) // of another type
		require.ErrorIs(t, dish.claimPort(endpoint), errPortShared)
	}
	dgram.freePort(endpoint)
	require.NoError(t, dish.claimPort(endpoint))
	dish.freePort(endpoint)
	require.Empty(t, udpPorts.claims)
}
