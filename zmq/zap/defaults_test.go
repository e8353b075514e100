package zap_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// What a context gives its users' sockets is not the authenticator's: with these it
// would end, or understand nobody.
func TestSocketDefaultsAreNotTheAuthenticators(t *testing.T) {
	t.Parallel()
	for name, defaults := range map[string]zmq.Setting{
		"RecvTimeout": zmq.RecvTimeout.To(time.Millisecond),
		"SendTimeout": zmq.SendTimeout.To(0),
		"RouterRaw":   zmq.RouterRaw.To(true),
		"RecvHWM":     zmq.RecvHWM.To(2),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := zmq.NewContext(zmq.SocketDefaults(defaults))
			require.NoError(t, err)
			defer func() { require.NoError(t, c.Close()) }()
			decisions := make(chan zap.Decision, 8)
			a, err := zap.Start(c, zap.Policy{
				Deny: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")},
				Log:  func(d zap.Decision) { decisions <- d },
			})
			require.NoError(t, err)
			defer func() { require.NoError(t, a.Close()) }()
			// Long enough for the timeouts to have passed.
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			<-ctx.Done()

			server, err := c.NewSocket(zmq.Pull, zmq.AsNullServer("d"))
			require.NoError(t, err)
			require.NoError(t, server.Bind("tcp://127.0.0.1:*"))
			endpoint, err := server.LastEndpoint()
			require.NoError(t, err)
			client, err := c.NewSocket(zmq.Push)
			require.NoError(t, err)
			require.NoError(t, client.Connect(endpoint))
			select {
			case d := <-decisions:
				require.Equal(t, zap.Refused, d.Status)
			case <-time.After(30 * time.Second):
				require.Fail(t, "the authenticator was not asked, or did not answer")
			}
		})
	}
}

// libzmq asks nobody about a WebSocket client that names no mechanism.
func TestNullServerOverWebSockets(t *testing.T) {
	t.Parallel()
	if !zmq.Has("WS") {
		c, err := zmq.NewContext()
		require.NoError(t, err)
		defer func() { require.NoError(t, c.Close()) }()
		s, err := c.NewSocket(zmq.Pull)
		require.NoError(t, err)
		require.ErrorIs(t, s.Bind("ws://127.0.0.1:*/x"), zmq.ErrNotSupported)
		return
	}
	c, err := zmq.NewContext()
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	a, err := zap.Start(c, zap.Policy{})
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	for _, settings := range [][]zmq.Setting{{zmq.AsNullServer("d")}, {zmq.ZapDomain.To("d")}} {
		s, err := c.NewSocket(zmq.Pull, settings...)
		require.NoError(t, err)
		require.ErrorContains(t, s.Bind("ws://127.0.0.1:*/x"), "names no mechanism")
	}
}
