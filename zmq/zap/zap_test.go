package zap_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/intercept"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

func TestMain(m *testing.M) { testutil.Main(m, intercept.CheckMessages) }

// limit is a generous limit for events that happen soon.
const limit = 30 * time.Second

// world is a context with its authenticator and the decisions of the authenticator.
type world struct {
	t         *testing.T
	ctx       context.Context
	c         *zmq.Context
	auth      *zap.Authenticator
	decisions chan zap.Decision
}

// everybody accepts every client.
var everybody = zap.Policy{
	Plain: func(string, string, string) bool { return true },
	Curve: func(string, string) bool { return true },
}

// newWorld starts an authenticator and collects its decisions.
func newWorld(t *testing.T, p zap.Policy) *world {
	t.Helper()
	w := &world{t: t, ctx: zmqtest.Within(t), c: zmqtest.NewContext(t), decisions: make(chan zap.Decision, 1000)}
	var err error
	w.auth, err = zap.Start(w.c, w.logged(p))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.auth.Close()) })
	return w
}

// logged sets a Timeout that a busy machine does not exceed, if the policy has none.
func (w *world) logged(p zap.Policy) zap.Policy {
	if p.Timeout == 0 {
		p.Timeout = limit
	}
	p.Log = func(d zap.Decision) { w.decisions <- d }
	return p
}

// decision returns the next decision.
func (w *world) decision() zap.Decision {
	w.t.Helper()
	select {
	case d := <-w.decisions:
		return d
	case <-w.ctx.Done():
		require.FailNow(w.t, "no decision")
	}
	return zap.Decision{}
}

func (w *world) socket(typ zmq.SocketType, settings ...zmq.Setting) *zmq.Socket {
	w.t.Helper()
	return zmqtest.NewSocket(w.t, w.c, typ, append([]zmq.Setting{zmq.IPv6.To(true)}, settings...)...)
}

// server binds a PULL socket and returns it with its endpoint.
func (w *world) server(endpoint string, settings ...zmq.Setting) (*zmq.Socket, string) {
	w.t.Helper()
	if endpoint == "ipc://*" {
		zmqtest.NeedIPC(w.t)
	}
	s := w.socket(zmq.Pull, settings...)
	require.NoError(w.t, s.Bind(endpoint))
	return s, zmqtest.LastEndpoint(w.t, s)
}

var numbers atomic.Int64

// client connects a PUSH socket and sends one message, which arrives only if the client
// is accepted.
func (w *world) client(endpoint string, settings ...zmq.Setting) (s *zmq.Socket, message string) {
	w.t.Helper()
	s = w.socket(zmq.Push, settings...)
	require.NoError(w.t, s.Connect(endpoint))
	message = fmt.Sprint("message ", numbers.Add(1))
	if err := s.SendString(context.Background(), message, zmq.DontWait); err != nil {
		// The client was refused before the send, and libzmq has dropped the connection.
		require.ErrorIs(w.t, err, zmq.ErrAgain)
	}
	return s, message
}

// letsIn requires that the message of a new client arrives, and no other message before
// or after it.
func (w *world) letsIn(server *zmq.Socket, endpoint string, settings ...zmq.Setting) {
	w.t.Helper()
	client, message := w.client(endpoint, settings...)
	got, err := server.RecvString(w.ctx)
	require.NoError(w.t, err)
	require.Equal(w.t, message, got)
	w.silent(server)
	require.NoError(w.t, client.Close())
}

// silent requires that a socket has received nothing.
func (w *world) silent(s *zmq.Socket) {
	w.t.Helper()
	_, err := s.RecvString(context.Background(), zmq.DontWait)
	require.ErrorIs(w.t, err, zmq.ErrAgain)
}

func newKeys(t *testing.T) zmq.CurveKeys {
	t.Helper()
	keys, err := zmq.NewCurveKeys()
	require.NoError(t, err)
	return keys
}
