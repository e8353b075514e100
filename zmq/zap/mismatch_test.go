package zap_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// failures are the events of a failed handshake.
const failures = zmq.EventHandshakeFailedNoDetail | zmq.EventHandshakeFailedProtocol | zmq.EventHandshakeFailedAuth

// Peers with different mechanisms: the monitors of both report it at once, and the
// authenticator, which would accept every client, is not asked.
func TestMismatchesOnTheMonitor(t *testing.T) {
	t.Parallel()
	const mismatch, undecipherable = "ZMTP_MECHANISM_MISMATCH", "ZMTP_CRYPTOGRAPHIC"
	serverKeys, clientKeys := newKeys(t), newKeys(t)
	null, plain, curve := zmq.Linger.To(0), zmq.AsPlainClient("user", "password"), zmq.AsCurveClient(serverKeys.Public, clientKeys)
	nullServer, plainServer := zmq.AsNullServer("d"), zmq.AsPlainServer("d")
	curveServer := zmq.AsCurveServer(serverKeys.Secret, zmq.Authenticated("d"))
	for name, test := range map[string]struct {
		server, client zmq.Setting
		protocol       string
	}{
		"CURVE with another server's key": {curveServer, zmq.AsCurveClient(newKeys(t).Public, clientKeys), undecipherable},
		"the same, of an open server":     {zmq.AsCurveServer(serverKeys.Secret, zmq.AllowAnyClient()), zmq.AsCurveClient(newKeys(t).Public), undecipherable},
		"NULL to CURVE":                   {curveServer, null, mismatch},
		"PLAIN to CURVE":                  {curveServer, plain, mismatch},
		"CURVE to NULL":                   {nullServer, curve, mismatch},
		"CURVE to PLAIN":                  {plainServer, curve, mismatch},
		"NULL to PLAIN":                   {plainServer, null, mismatch},
		"PLAIN to NULL":                   {nullServer, plain, mismatch},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overTransports(t, func(t *testing.T, endpoint string) {
				w := newWorld(t, zap.Policy{
					Plain: func(string, string, string) bool { return true },
					Curve: func(string, string) bool { return true },
				})
				server := w.socket(zmq.Pull, test.server)
				atServer := w.monitor(server)
				require.NoError(t, server.Bind(endpoint))
				endpoint = zmqtest.LastEndpoint(t, server)
				client := w.socket(zmq.Push, test.client)
				atClient := w.monitor(client)
				began := time.Now()
				require.NoError(t, client.Connect(endpoint))

				e := w.until(atServer, failures|zmq.EventHandshakeSucceeded)
				require.Equal(t, zmq.EventHandshakeFailedProtocol, e.Event)
				require.Equal(t, test.protocol, e.Protocol.String())
				require.ErrorIs(t, e.Err, syscall.EPROTO)
				require.ErrorContains(t, e.Err, test.protocol)
				require.Equal(t, endpoint, e.Endpoint)
				// The client may see the fault itself, or only that the server has
				// disconnected.
				e = w.until(atClient, failures|zmq.EventHandshakeSucceeded)
				require.NotZero(t, e.Event&failures, "%v", e)
				require.Error(t, e.Err)
				require.Less(t, time.Since(began), soon)
				w.silent(server)
				require.Zero(t, w.auth.Stats().Accepted+w.auth.Stats().Refused)
			})
		})
	}
}
