package zap_test

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// failures are the events of a failed handshake.
const failures = zmq.EventHandshakeFailedNoDetail | zmq.EventHandshakeFailedProtocol | zmq.EventHandshakeFailedAuth

// handshake is short, because a client that was refused with 300 waits for it, and long
// enough for a handshake on a busy machine.
const handshake = time.Second

// soon is the limit for things that take a second at most, generous for a busy machine.
const soon = 20 * time.Second

// mechanisms are the settings of a server that asks the authenticator, and of a client.
func mechanisms(t *testing.T) map[string][2]zmq.Setting {
	t.Helper()
	keys := newKeys(t)
	return map[string][2]zmq.Setting{
		"NULL":  {zmq.AsNullServer("d"), zmq.Linger.To(0)},
		"PLAIN": {zmq.AsPlainServer("d"), zmq.AsPlainClient("u", "p")},
		"CURVE": {zmq.AsCurveServer(keys.Secret, zmq.Authenticated("d")), zmq.AsCurveClient(keys.Public)},
	}
}

// connected connects a client to a server and returns them with their monitors.
func (w *world) connected(endpoint string, forServer, forClient []zmq.Setting) (server, client *zmq.Socket, atServer, atClient *zmq.Monitor) {
	w.t.Helper()
	server, client = w.socket(zmq.Pull, forServer...), w.socket(zmq.Push, forClient...)
	atServer, atClient = zmqtest.Monitor(w.t, server, zmq.EventAll), zmqtest.Monitor(w.t, client, zmq.EventAll)
	zmqtest.Connect(w.t, server, client, endpoint)
	return server, client, atServer, atClient
}

// Monitors report the status of a refusal: always on the server, and on the client for
// 400 and 500. With 300 the server only closes the connection, and the client tries
// again.
func TestRefusalsOnTheMonitor(t *testing.T) {
	t.Parallel()
	for mechanism, settings := range mechanisms(t) {
		for status, decide := range map[int]func(context.Context) (zap.Grant, error){
			zap.Refused:   func(context.Context) (zap.Grant, error) { return zap.Grant{}, errors.New("the directory is down") },
			zap.Malformed: grant(zap.Grant{UserID: "a\x00b"}),
			zap.TryLater:  func(ctx context.Context) (zap.Grant, error) { <-ctx.Done(); return zap.Grant{}, nil },
		} {
			policy := zap.Policy{Authorize: func(ctx context.Context, _ zap.Request) (zap.Grant, error) { return decide(ctx) }}
			if status == zap.TryLater {
				policy.Timeout = 100 * time.Millisecond
			}
			t.Run(fmt.Sprint(mechanism, " ", status), func(t *testing.T) {
				t.Parallel()
				overTransports(t, func(t *testing.T, endpoint string) {
					showRefusal(t, policy, settings, status, endpoint)
				})
			})
		}
	}
}

func showRefusal(t *testing.T, policy zap.Policy, settings [2]zmq.Setting, status int, endpoint string) {
	t.Helper()
	w := newWorld(t, policy)
	began := time.Now()
	server, client, atServer, atClient := w.connected(endpoint,
		[]zmq.Setting{settings[0], zmq.HandshakeInterval.To(handshake)}, []zmq.Setting{settings[1], zmq.ReconnectInterval.To(10 * time.Millisecond)})
	told := []*zmq.Monitor{atServer, atClient}
	if status == zap.TryLater {
		told = told[:1]
	}
	for _, m := range told {
		e := zmqtest.Until(t, m, zmq.EventHandshakeFailedAuth|zmq.EventHandshakeSucceeded)
		require.Equal(t, zmq.EventHandshakeFailedAuth, e.Event)
		require.Equal(t, status, e.ZAPStatus)
		require.EqualValues(t, status, e.Value)
		require.Equal(t, zmqtest.LastEndpoint(t, server), e.Endpoint)
		var failed *zmq.Error
		require.ErrorAs(t, e.Err, &failed)
		require.Equal(t, "handshake", failed.Op)
		require.ErrorIs(t, e.Err, syscall.EACCES)
	}
	require.Less(t, time.Since(began), soon)
	require.Equal(t, status, w.decision().Status)
	w.silent(server)

	if status == zap.TryLater {
		// The client was not told, and connects without a further call once it is
		// allowed.
		require.NoError(t, w.auth.SetPolicy(everybody))
		e := zmqtest.Until(t, atClient, zmq.EventHandshakeFailedAuth|zmq.EventHandshakeSucceeded)
		require.Equal(t, zmq.EventHandshakeSucceeded, e.Event)
		zmqtest.RequireWorks(t, client, server)
	}
}

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
				w := newWorld(t, everybody)
				began := time.Now()
				server, _, atServer, atClient := w.connected(endpoint, []zmq.Setting{test.server}, []zmq.Setting{test.client})
				e := zmqtest.Until(t, atServer, failures|zmq.EventHandshakeSucceeded)
				require.Equal(t, zmq.EventHandshakeFailedProtocol, e.Event)
				require.Equal(t, test.protocol, e.Protocol.String())
				require.ErrorIs(t, e.Err, syscall.EPROTO)
				require.ErrorContains(t, e.Err, test.protocol)
				require.Equal(t, zmqtest.LastEndpoint(t, server), e.Endpoint)
				// The client may see the fault itself, or only that the server has
				// disconnected.
				e = zmqtest.Until(t, atClient, failures|zmq.EventHandshakeSucceeded)
				require.NotZero(t, e.Event&failures, "%v", e)
				require.Error(t, e.Err)
				require.Less(t, time.Since(began), soon)
				w.silent(server)
				require.Zero(t, w.auth.Stats().Accepted+w.auth.Stats().Refused)
			})
		})
	}
}
