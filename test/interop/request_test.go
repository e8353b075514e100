package interop

import (
	"context"
	"flag"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// A REP returns the number of a request without knowing of it.
func TestClientToRep(t *testing.T) {
	t.Parallel()
	overPeers(t, func(t *testing.T, ctx context.Context, at place) {
		s, p := connected(t, ctx, zmq.Dealer, at, "rep")
		client, err := request.NewClient(s, request.Config{})
		require.NoError(t, err)
		for i := range messages {
			reply, err := client.Request(ctx, message(i)...)
			require.NoError(t, err)
			same(t, message(i+1), reply, "reply", i)
		}
		p.done()
		require.NoError(t, client.Close())
		require.Zero(t, client.Stats().Late)
	})
}

// A Server answers a REQ, on a ROUTER and on a REP.
func TestServerToReq(t *testing.T) {
	t.Parallel()
	for _, kind := range []zmq.SocketType{zmq.Router, zmq.Rep} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			overPeers(t, func(t *testing.T, ctx context.Context, at place) {
				s, p := bound(t, ctx, kind, at, "req")
				var i atomic.Int64
				server := request.Server{Handle: func(_ context.Context, q [][]byte) [][]byte {
					n := int(i.Add(1))
					if len(q) != len(message(n-1)) {
						t.Errorf("request %d has parts of %v bytes", n-1, sizes(q))
					}
					return message(n)
				}}
				ctx, cancel := context.WithCancel(ctx)
				served := make(chan error, 1)
				go func() { served <- server.Serve(ctx, s) }()
				p.done()
				cancel()
				require.ErrorIs(t, <-served, context.Canceled)
				require.EqualValues(t, messages, server.Stats().Replies)
			})
		})
	}
}

// make check LANE=interop runs each exchange under each mechanism. make test runs the
// patterns only.
var mechanisms = flag.String("mechanisms", "null", "of null, plain and curve, those under which messages are exchanged")

func mechanismsOf(t *testing.T) []string {
	t.Helper()
	names := strings.Split(*mechanisms, ",")
	for _, name := range names {
		require.True(t, slices.Contains([]string{"null", "plain", "curve"}, name), "-mechanisms: there is no %q", name)
	}
	return names
}

// security is what both sides of an exchange know: ours, and the peer's arguments. Who
// binds is the server, and lets in this one client.
type security struct {
	ours   []zmq.Setting
	policy *zap.Policy // of our side, if it is the server
	theirs []string
}

// secure creates new credentials.
func secure(t *testing.T, mechanism string, weServe bool) security {
	t.Helper()
	const domain = "interop"
	switch mechanism {
	case "plain":
		user, password := "ada", certificate(t).Secret
		s := security{theirs: []string{mechanism, user, password}}
		if !weServe {
			s.ours = []zmq.Setting{zmq.AsPlainClient(user, password)}
			return s
		}
		s.ours = []zmq.Setting{zmq.AsPlainServer(domain)}
		s.policy = &zap.Policy{Plain: func(d, u, p string) bool { return d == domain && u == user && p == password }}
		return s
	case "curve":
		server, client := certificate(t), certificate(t)
		if !weServe {
			return security{
				ours:   []zmq.Setting{zmq.AsCurveClient(server.Public, client.Keys())},
				theirs: []string{mechanism, server.Secret, client.Public},
			}
		}
		return security{
			ours:   []zmq.Setting{zmq.AsCurveServer(server.Secret, zmq.Authenticated(domain))},
			policy: &zap.Policy{Curve: func(d, key string) bool { return d == domain && key == client.Public }},
			theirs: []string{mechanism, server.Public, client.Public, client.Secret},
		}
	}
	return security{theirs: []string{mechanism}}
}

// newSecureSocket is newSocket with our side of a mechanism.
func newSecureSocket(t *testing.T, kind zmq.SocketType, s security, settings ...zmq.Setting) *zmq.Socket {
	t.Helper()
	zctx := zmqtest.NewContext(t)
	if s.policy != nil {
		auth, err := zap.Start(zctx, *s.policy)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, auth.Close()) })
	}
	return newSocketIn(t, zctx, kind, append(s.ours, settings...)...)
}
