package zap_test

import (
	"context"
	"errors"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// refusal is a policy that refuses a client, with the server and the client.
type refusal struct {
	policy         func(t *testing.T) zap.Policy
	server, client zmq.Setting
	status         int
	ipc            bool // there is no IP address to be refused over ipc
}

func policy(p zap.Policy) func(*testing.T) zap.Policy {
	return func(*testing.T) zap.Policy { return p }
}

func plainFunction(f func() bool) func(*testing.T) zap.Policy {
	return policy(zap.Policy{Plain: func(string, string, string) bool { return f() }})
}

func authorize(f func(context.Context) (zap.Grant, error)) func(*testing.T) zap.Policy {
	return policy(zap.Policy{Authorize: func(ctx context.Context, _ zap.Request) (zap.Grant, error) { return f(ctx) }})
}

// refusals are all ways in which a policy can refuse, for each mechanism.
func refusals(t *testing.T) map[string]refusal {
	t.Helper()
	serverKeys := newKeys(t)
	everywhere := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	elsewhere := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	null, anybody := zmq.AsNullServer("d"), zmq.Linger.To(0)
	plain, user := zmq.AsPlainServer("d"), zmq.AsPlainClient("user", "password")
	curve, key := zmq.AsCurveServer(serverKeys.Secret, zmq.Authenticated("d")), zmq.AsCurveClient(serverKeys.Public, newKeys(t))
	hangs := func(t *testing.T) zap.Policy {
		wait, _ := stuck(t)
		return zap.Policy{Timeout: 100 * time.Millisecond, Plain: func(string, string, string) bool { wait(); return true }}
	}
	late := func(ctx context.Context) (zap.Grant, error) { <-ctx.Done(); return zap.Grant{}, nil }
	tooLate := policy(zap.Policy{
		Timeout:   100 * time.Millisecond,
		Authorize: func(ctx context.Context, _ zap.Request) (zap.Grant, error) { return late(ctx) },
	})
	panics := func(context.Context) (zap.Grant, error) { panic("deliberate") }
	return map[string]refusal{
		"NULL, address denied":       {policy(zap.Policy{Deny: everywhere}), null, anybody, zap.Refused, false},
		"NULL, address not allowed":  {policy(zap.Policy{Allow: elsewhere}), null, anybody, zap.Refused, true},
		"PLAIN, address denied":      {policy(zap.Policy{Deny: everywhere}), plain, user, zap.Refused, false},
		"CURVE, address not allowed": {policy(zap.Policy{Allow: elsewhere}), curve, key, zap.Refused, true},
		"PLAIN, password":            {plainFunction(func() bool { return false }), plain, user, zap.Refused, true},
		"PLAIN, no function":         {policy(zap.Policy{}), plain, user, zap.Refused, true},
		"CURVE, key":                 {policy(zap.Policy{Curve: func(string, string) bool { return false }}), curve, key, zap.Refused, true},
		"NULL, function fails":       {authorize(func(context.Context) (zap.Grant, error) { return zap.Grant{}, errors.New("the directory is down") }), null, anybody, zap.Refused, true},
		"PLAIN, function panics":     {plainFunction(func() bool { panic("deliberate") }), plain, user, zap.Malformed, true},
		"CURVE, function panics":     {authorize(panics), curve, key, zap.Malformed, true},
		"NULL, function panics":      {authorize(panics), null, anybody, zap.Malformed, true},
		"CURVE, grants nonsense":     {authorize(grant(zap.Grant{UserID: "a\x00b"})), curve, key, zap.Malformed, true},
		"PLAIN, function hangs":      {hangs, plain, user, zap.TryLater, true},
		"CURVE, function too late":   {tooLate, curve, key, zap.TryLater, true},
		"NULL, function too late":    {tooLate, null, anybody, zap.TryLater, true},
	}
}

// Monitors report the status of a refusal: always on the server, and on the client for
// 400 and 500. With 300 the server only closes the connection, and the client tries
// again.
func TestRefusalsOnTheMonitor(t *testing.T) {
	t.Parallel()
	for name, test := range refusals(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overTransports(t, func(t *testing.T, endpoint string) {
				if endpoint == "ipc://*" && !test.ipc {
					return
				}
				showRefusal(t, test, endpoint)
			})
		})
	}
}

func showRefusal(t *testing.T, test refusal, endpoint string) {
	t.Helper()
	w := newWorld(t, test.policy(t))
	server := w.socket(zmq.Pull, test.server, zmq.HandshakeInterval.To(handshake))
	atServer := w.monitor(server)
	require.NoError(t, server.Bind(endpoint))
	endpoint = zmqtest.LastEndpoint(t, server)
	client := w.socket(zmq.Push, test.client, zmq.ReconnectInterval.To(10*time.Millisecond))
	atClient := w.monitor(client)
	began := time.Now()
	require.NoError(t, client.Connect(endpoint))

	told := []*zmq.Monitor{atServer, atClient}
	if test.status == zap.TryLater {
		told = told[:1]
	}
	for _, m := range told {
		e := w.until(m, zmq.EventHandshakeFailedAuth|zmq.EventHandshakeSucceeded)
		require.Equal(t, zmq.EventHandshakeFailedAuth, e.Event)
		require.Equal(t, test.status, e.ZAPStatus)
		require.EqualValues(t, test.status, e.Value)
		require.Equal(t, endpoint, e.Endpoint)
		var failed *zmq.Error
		require.ErrorAs(t, e.Err, &failed)
		require.Equal(t, "handshake", failed.Op)
		require.ErrorIs(t, e.Err, syscall.EACCES)
	}
	require.Less(t, time.Since(began), soon)
	require.Equal(t, test.status, w.decision().Status)
	w.silent(server)

	if test.status == zap.TryLater {
		// The client was not told, and connects without a further call once it is
		// allowed.
		require.NoError(t, w.auth.SetPolicy(zap.Policy{
			Plain: func(string, string, string) bool { return true },
			Curve: func(string, string) bool { return true },
		}))
		e := w.until(atClient, zmq.EventHandshakeFailedAuth|zmq.EventHandshakeSucceeded)
		require.Equal(t, zmq.EventHandshakeSucceeded, e.Event)
		require.NoError(t, client.SendString(w.ctx, "at last"))
		got, err := server.RecvString(w.ctx)
		require.NoError(t, err)
		require.Equal(t, "at last", got)
	}
}

// handshake is short, because a client that was refused with 300 waits for it, and long
// enough for a handshake on a busy machine.
const handshake = time.Second

// soon is the limit for things that take a second at most, generous for a busy machine.
const soon = 20 * time.Second

func (w *world) monitor(s *zmq.Socket) *zmq.Monitor {
	w.t.Helper()
	m, err := s.Monitor(zmq.EventAll)
	require.NoError(w.t, err)
	return m
}

// until reads events up to the first of the given ones, and returns that one.
func (w *world) until(m *zmq.Monitor, events zmq.MonitorEvents) zmq.MonitorEvent {
	w.t.Helper()
	for {
		e, err := m.Next(w.ctx)
		require.NoError(w.t, err, "waiting for %v", events)
		if e.Event&events != 0 {
			return e
		}
	}
}
