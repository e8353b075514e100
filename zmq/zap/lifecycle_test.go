package zap_test

import (
	"context"
	"net/netip"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

func TestStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, zap.Policy{})
	_, err := zap.Start(w.c, zap.Policy{})
	require.ErrorIs(t, err, syscall.EADDRINUSE)
	require.ErrorContains(t, err, "SetPolicy")

	_, err = zap.Start(nil, zap.Policy{})
	require.ErrorIs(t, err, zmq.ErrClosed)
	zctx := zmqtest.NewContext(t)
	require.NoError(t, zctx.Shutdown())
	_, err = zap.Start(zctx, zap.Policy{})
	require.ErrorIs(t, err, zmq.ErrTerminated)
	require.NoError(t, zctx.Close())
	_, err = zap.Start(zctx, zap.Policy{})
	require.ErrorIs(t, err, zmq.ErrClosed)

	var none *zap.Authenticator
	require.NoError(t, none.Close())
	require.ErrorIs(t, none.SetPolicy(zap.Policy{}), syscall.EINVAL)
	require.Zero(t, none.Stats())
	none = new(zap.Authenticator)
	require.NoError(t, none.Close())
	require.ErrorIs(t, none.SetPolicy(zap.Policy{}), syscall.EINVAL)
	require.Zero(t, none.Stats())
}

// Without its authenticator a server refuses every client and cannot be bound.
func TestNobodyGetsInAfterClose(t *testing.T) {
	t.Parallel()
	for name, settings := range mechanisms(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, everybody)
			// libzmq closes a NULL connection without an authenticator after the handshake interval.
			// With a shorter one, a client on a stalled machine could try twice.
			server, endpoint := w.server("tcp://127.0.0.1:*", settings[0], zmq.HandshakeInterval.To(2*time.Second))
			w.letsIn(server, endpoint, settings[1])
			require.True(t, w.decision().Accepted())
			require.NoError(t, w.auth.Close())

			m := zmqtest.Monitor(t, server, zmq.EventAll)
			client, _ := w.client(endpoint, settings[1])
			e := zmqtest.Until(t, m, failures|zmq.EventHandshakeSucceeded)
			require.Equal(t, zmq.EventHandshakeFailedNoDetail, e.Event)
			require.ErrorIs(t, e.Err, syscall.EFAULT)
			require.ErrorContains(t, e.Err, "zap.Start")
			w.silent(server)
			require.NoError(t, client.Close())
			err := w.socket(zmq.Pull, settings[0]).Bind("tcp://127.0.0.1:*")
			require.ErrorIs(t, err, zmq.ErrState)
			require.ErrorContains(t, err, "zap.Start")

			w.auth, err = zap.Start(w.c, everybody)
			require.NoError(t, err)
			w.letsIn(server, endpoint, settings[1])
		})
	}
}

// A new policy is for new connections.
func TestSetPolicyIsForNewConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t, everybody)
	server, endpoint := w.server("tcp://127.0.0.1:*", zmq.AsPlainServer("d"))
	old, message := w.client(endpoint, zmq.AsPlainClient("old", "p"))
	require.Equal(t, message, zmqtest.RecvString(t, server))
	require.True(t, w.decision().Accepted())

	require.NoError(t, w.auth.SetPolicy(w.logged(zap.Policy{})))
	w.client(endpoint, zmq.AsPlainClient("new", "p"))
	require.Equal(t, zap.Refused, w.decision().Status)
	require.NoError(t, old.SendString(context.Background(), "still here"))
	require.Equal(t, "still here", zmqtest.RecvString(t, server))

	require.NoError(t, w.auth.SetPolicy(w.logged(everybody)))
	w.letsIn(server, endpoint, zmq.AsPlainClient("newer", "p"))
}

// Close refuses the clients that the functions have not decided on yet, whether those
// functions return or not.
func TestCloseWithRequestsInFlight(t *testing.T) {
	t.Parallel()
	wait, called := stuck(t)
	waits := make(chan struct{}, 10)
	policy := zap.Policy{
		Timeout: time.Hour,
		Authorize: func(ctx context.Context, r zap.Request) (zap.Grant, error) {
			if r.User == "stuck" {
				wait()
			} else {
				waits <- struct{}{}
				<-ctx.Done()
			}
			return zap.Grant{}, nil
		},
	}
	w := newWorld(t, policy)
	server, endpoint := w.server("tcp://127.0.0.1:*", zmq.AsPlainServer("d"))
	w.client(endpoint, zmq.AsPlainClient("stuck", "p"))
	w.client(endpoint, zmq.AsPlainClient("waits", "p"))
	<-called
	<-waits
	began := time.Now()
	require.NoError(t, w.auth.Close())
	require.Less(t, time.Since(began), 20*time.Second)
	for range 2 {
		d := w.decision()
		require.Equal(t, zap.TryLater, d.Status)
		require.Contains(t, d.Text, "closing")
	}
	w.silent(server)
	auth, err := zap.Start(w.c, everybody)
	require.NoError(t, err)
	w.letsIn(server, endpoint, zmq.AsPlainClient("u", "p"))
	require.NoError(t, auth.Close())
}

// The functions of the policy close the authenticator.
func TestCloseFromWithin(t *testing.T) {
	t.Parallel()
	closed := make(chan error, 2)
	var auth atomic.Pointer[zap.Authenticator]
	w := newWorld(t, zap.Policy{})
	auth.Store(w.auth)
	require.NoError(t, w.auth.SetPolicy(zap.Policy{
		Plain: func(string, string, string) bool { closed <- auth.Load().Close(); return true },
		Log:   func(zap.Decision) { closed <- auth.Load().Close() },
	}))
	server, endpoint := w.server("tcp://127.0.0.1:*", zmq.AsPlainServer("d"))
	w.client(endpoint, zmq.AsPlainClient("u", "p"))
	require.NoError(t, <-closed)
	require.NoError(t, <-closed)
	w.silent(server)
}

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

			server, client := zmqtest.NewSocket(t, zctx, zmq.Pull, zmq.AsNullServer("d")), zmqtest.NewSocket(t, zctx, zmq.Push)
			zmqtest.Connect(t, server, client, "tcp://127.0.0.1:*")
			select {
			case d := <-decisions:
				require.Equal(t, zap.Refused, d.Status)
			case <-time.After(limit):
				require.Fail(t, "the authenticator was not asked, or did not answer")
			}
		})
	}
}

// libzmq does not ask the authenticator about a WebSocket client that names no mechanism.
func TestNullServerOverWebSockets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, zap.Policy{})
	for _, settings := range [][]zmq.Setting{{zmq.AsNullServer("d")}, {zmq.ZapDomain.To("d")}} {
		err := w.socket(zmq.Pull, settings...).Bind("ws://127.0.0.1:*/x")
		if !zmq.Has("WS") {
			require.Error(t, err)
			continue
		}
		require.ErrorContains(t, err, "that offer no mechanism")
	}
}
