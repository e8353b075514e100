package zap_test

import (
	"context"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// overTransports runs a test over IPv4, IPv6 and ipc.
func overTransports(t *testing.T, test func(t *testing.T, endpoint string)) {
	for name, endpoint := range map[string]string{
		"tcp": "tcp://127.0.0.1:*", "tcp6": "tcp://[::1]:*", "ipc": "ipc://*",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "ipc" {
				zmqtest.NeedIPC(t)
			}
			test(t, endpoint)
		})
	}
}

func TestCurvePolicy(t *testing.T) {
	t.Parallel()
	overTransports(t, func(t *testing.T, endpoint string) {
		serverKeys, known := newKeys(t), newKeys(t)
		w := newWorld(t, zap.Policy{Curve: func(domain, publicKey string) bool {
			return domain == "vault" && publicKey == known.Public
		}})
		server, endpoint := w.server(endpoint, zmq.AsCurveServer(serverKeys.Secret, zmq.Authenticated("vault")))
		w.letsIn(server, endpoint, zmq.AsCurveClient(serverKeys.Public, known))
		d := w.decision()
		require.True(t, d.Accepted())
		require.Equal(t, known.Public, d.PublicKey)
		require.Equal(t, known.Public, d.UserID)
		require.Equal(t, "CURVE", d.Mechanism)
		require.Equal(t, "vault", d.Domain)
		require.Equal(t, "1.0", d.Version)
		require.NotEmpty(t, d.RequestID)

		for _, stranger := range []zmq.Setting{zmq.AsCurveClient(serverKeys.Public, newKeys(t)), zmq.AsCurveClient(serverKeys.Public)} {
			w.client(endpoint, stranger)
			d = w.decision()
			require.Equal(t, zap.Refused, d.Status)
			require.NotEqual(t, known.Public, d.PublicKey)
		}
		w.letsIn(server, endpoint, zmq.AsCurveClient(serverKeys.Public, known))
	})
}

// Every client with the server's key is accepted, and the authenticator is not asked.
func TestCurveAllowAnyClient(t *testing.T) {
	t.Parallel()
	serverKeys := newKeys(t)
	w := newWorld(t, zap.Policy{})
	server, endpoint := w.server("tcp://127.0.0.1:*", zmq.AsCurveServer(serverKeys.Secret, zmq.AllowAnyClient()))
	w.letsIn(server, endpoint, zmq.AsCurveClient(serverKeys.Public))
	m := zmqtest.Monitor(t, server, zmq.EventAll)
	w.client(endpoint)
	require.NotZero(t, zmqtest.Until(t, m, failures|zmq.EventHandshakeSucceeded).Event&failures)
	w.letsIn(server, endpoint, zmq.AsCurveClient(serverKeys.Public, newKeys(t)))
	require.Zero(t, w.auth.Stats().Accepted+w.auth.Stats().Refused)
}

func TestPlainPolicy(t *testing.T) {
	t.Parallel()
	overTransports(t, func(t *testing.T, endpoint string) {
		w := newWorld(t, zap.Policy{Plain: func(domain, user, password string) bool {
			return domain == "names" && user == "ada" && (password == "right" || password == "")
		}})
		server, endpoint := w.server(endpoint, zmq.AsPlainServer("names"))
		w.letsIn(server, endpoint, zmq.AsPlainClient("ada", "right"))
		d := w.decision()
		require.True(t, d.Accepted())
		require.Equal(t, "ada", d.User)
		require.Equal(t, "ada", d.UserID)
		require.Empty(t, d.Password(), "decisions have no passwords")
		for _, wrong := range []zmq.Setting{zmq.AsPlainClient("ada", "wrong"), zmq.AsPlainClient("eve", "right")} {
			w.client(endpoint, wrong)
			require.Equal(t, zap.Refused, w.decision().Status)
		}
		w.letsIn(server, endpoint, zmq.AsPlainClient("ada", ""))
	})
}

func TestNullByAddress(t *testing.T) {
	t.Parallel()
	prefix := netip.MustParsePrefix
	v4, v6 := []netip.Prefix{prefix("127.0.0.1/32")}, []netip.Prefix{prefix("::1/128")}
	for name, test := range map[string]struct {
		policy   zap.Policy
		endpoint string
		accepted bool
	}{
		"nothing said":    {zap.Policy{}, "tcp://127.0.0.1:*", true},
		"allowed":         {zap.Policy{Allow: v4}, "tcp://127.0.0.1:*", true},
		"allowed network": {zap.Policy{Allow: []netip.Prefix{prefix("10.0.0.0/8"), prefix("127.0.0.0/8")}}, "tcp://127.0.0.1:*", true},
		"not allowed":     {zap.Policy{Allow: v6}, "tcp://127.0.0.1:*", false},
		"denied":          {zap.Policy{Deny: v4}, "tcp://127.0.0.1:*", false},
		"both":            {zap.Policy{Allow: v4, Deny: v4}, "tcp://127.0.0.1:*", false},
		"v6 allowed":      {zap.Policy{Allow: v6}, "tcp://[::1]:*", true},
		"v6 not allowed":  {zap.Policy{Allow: v4}, "tcp://[::1]:*", false},
		"v6 denied":       {zap.Policy{Deny: v6}, "tcp://[::1]:*", false},
		"ipc":             {zap.Policy{Deny: v4}, "ipc://*", true},
		"ipc not allowed": {zap.Policy{Allow: v4}, "ipc://*", false},
		"ipc allowed":     {zap.Policy{Allow: v4, AllowLocal: true}, "ipc://*", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.policy)
			server, endpoint := w.server(test.endpoint, zmq.AsNullServer("open"))
			if test.accepted {
				w.letsIn(server, endpoint)
				d := w.decision()
				require.True(t, d.Accepted())
				require.Empty(t, d.UserID)
				return
			}
			w.client(endpoint)
			d := w.decision()
			require.Equal(t, zap.Refused, d.Status)
			require.Equal(t, "NULL", d.Mechanism)
			require.NotEmpty(t, d.Text)
			require.NoError(t, w.auth.SetPolicy(zap.Policy{}))
			w.letsIn(server, endpoint) // and not the message before
		})
	}
}

// Each message carries the Grant of the policy.
func TestProperties(t *testing.T) {
	t.Parallel()
	serverKeys, keys := newKeys(t), newKeys(t)
	w := newWorld(t, zap.Policy{
		Curve: func(string, string) bool { return true },
		Plain: func(_, user, _ string) bool { return true },
		Authorize: func(_ context.Context, r zap.Request) (zap.Grant, error) {
			if r.Mechanism == "PLAIN" {
				return zap.Grant{UserID: "user/" + r.User + "/" + r.Password(), Metadata: map[string]string{"X-Team": "blue", "Quota": "", "B": "ünï"}}, nil
			}
			return zap.Grant{}, nil
		},
	})
	receive := func(s *zmq.Socket) *zmq.Message {
		m := new(zmq.Message)
		require.NoError(t, s.RecvMessage(w.ctx, m))
		t.Cleanup(func() { m.Close() })
		return m
	}
	property := func(m *zmq.Message, name string) string {
		value, err := m.Property(name)
		require.NoError(t, err, name)
		return value
	}
	server, endpoint := w.server("tcp://127.0.0.1:*", zmq.AsPlainServer("names"))
	w.client(endpoint, zmq.AsPlainClient("ada", "pw"))
	m := receive(server)
	require.Equal(t, "user/ada/pw", property(m, "User-Id"))
	require.Equal(t, "blue", property(m, "X-Team"))
	require.Equal(t, "", property(m, "Quota"))
	require.Equal(t, "ünï", property(m, "B"))
	require.Equal(t, "PUSH", property(m, "Socket-Type"))
	require.Contains(t, property(m, "Peer-Address"), "127.0.0.1")
	require.Equal(t, "blue", w.decision().Metadata["X-Team"])

	server, endpoint = w.server("tcp://127.0.0.1:*", zmq.AsCurveServer(serverKeys.Secret, zmq.Authenticated("keys")))
	w.client(endpoint, zmq.AsCurveClient(serverKeys.Public, keys))
	require.Equal(t, keys.Public, property(receive(server), "User-Id"))
	require.Equal(t, "CURVE", w.decision().Mechanism)
}

func TestDomains(t *testing.T) {
	t.Parallel()
	w := newWorld(t, zap.Policy{
		Plain: func(domain, user, _ string) bool { return user == "everywhere but "+domain },
		Domains: map[string]zap.Policy{
			"a": {Plain: func(domain, user, _ string) bool { return domain == "a" && user == "only a" }},
			"b": {Plain: func(domain, user, _ string) bool { return domain == "b" && user == "only b" }},
		},
	})
	a, inA := w.server("tcp://127.0.0.1:*", zmq.AsPlainServer("a"))
	b, inB := w.server("tcp://127.0.0.1:*", zmq.AsPlainServer("b"))
	other, inOther := w.server("tcp://127.0.0.1:*", zmq.AsPlainServer("other"))
	for _, wrong := range []struct{ user, endpoint string }{
		{"only a", inB}, {"only b", inA}, {"only a", inOther}, {"everywhere but a", inA}, {"everywhere but b", inB},
	} {
		w.client(wrong.endpoint, zmq.AsPlainClient(wrong.user, "p"))
		require.Equal(t, zap.Refused, w.decision().Status, "%v", wrong)
	}
	w.letsIn(a, inA, zmq.AsPlainClient("only a", "p"))
	w.letsIn(b, inB, zmq.AsPlainClient("only b", "p"))
	w.letsIn(other, inOther, zmq.AsPlainClient("everywhere but other", "p"))
}
