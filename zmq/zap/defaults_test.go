package zap_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// The authenticator's socket ignores SocketDefaults. With these it would stop, or
// understand no request.
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
			zctx := zmqtest.NewContext(t, zmq.SocketDefaults(defaults))
			decisions := make(chan zap.Decision, 8)
			a, err := zap.Start(zctx, zap.Policy{
				Deny: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")},
				Log:  func(d zap.Decision) { decisions <- d },
			})
			require.NoError(t, err)
			defer func() { require.NoError(t, a.Close()) }()
			// Long enough for the timeouts to have passed.
			ctx := zmqtest.Timeout(t, 50*time.Millisecond)
			<-ctx.Done()

			server, err := zctx.NewSocket(zmq.Pull, zmq.AsNullServer("d"))
			require.NoError(t, err)
			require.NoError(t, server.Bind("tcp://127.0.0.1:*"))
			endpoint := zmqtest.LastEndpoint(t, server)
			client, err := zctx.NewSocket(zmq.Push)
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

// libzmq does not ask the authenticator about a WebSocket client that names no mechanism.
func TestNullServerOverWebSockets(t *testing.T) {
	t.Parallel()
	if !zmq.Has("WS") {
		zctx := zmqtest.NewContext(t)
		s, err := zctx.NewSocket(zmq.Pull)
		require.NoError(t, err)
		require.ErrorIs(t, s.Bind("ws://127.0.0.1:*/x"), zmq.ErrNotSupported)
		return
	}
	zctx := zmqtest.NewContext(t)
	a, err := zap.Start(zctx, zap.Policy{})
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	for _, settings := range [][]zmq.Setting{{zmq.AsNullServer("d")}, {zmq.ZapDomain.To("d")}} {
		s, err := zctx.NewSocket(zmq.Pull, settings...)
		require.NoError(t, err)
		require.ErrorContains(t, s.Bind("ws://127.0.0.1:*/x"), "that offer no mechanism")
	}
}
