package zap_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/internal/testutil/intercept"
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

// newWorld starts an authenticator and collects its decisions.
func newWorld(t *testing.T, p zap.Policy) *world {
	t.Helper()
	w := &world{t: t, decisions: make(chan zap.Decision, 1000)}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	w.ctx = ctx
	var err error
	w.c, err = zmq.NewContext()
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, w.c.Close())
		require.Zero(t, core.Rescues(), "the watchdog found a forgotten waiter")
	})
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
	s, err := w.c.NewSocket(typ, append([]zmq.Setting{zmq.Linger.To(0), zmq.IPv6.To(true)}, settings...)...)
	require.NoError(w.t, err)
	return s
}

// server binds a PULL socket and returns it with its endpoint.
func (w *world) server(endpoint string, settings ...zmq.Setting) (*zmq.Socket, string) {
	w.t.Helper()
	s := w.socket(zmq.Pull, settings...)
	require.NoError(w.t, s.Bind(endpoint))
	actual, err := s.LastEndpoint()
	require.NoError(w.t, err)
	return s, actual
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

// tap forwards connections to a server, and reports each one that the server closes: a
// failed handshake without a request to the authenticator.
type tap struct {
	endpoint string
	ended    chan struct{}
}

func newTap(t *testing.T, endpoint string) *tap {
	t.Helper()
	address := strings.TrimPrefix(endpoint, "tcp://")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &tap{endpoint: "tcp://" + l.Addr().String(), ended: make(chan struct{}, 1000)}
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", address)
			if err != nil {
				client.Close()
				continue
			}
			go func() {
				copyUntilEnd(server, client)
				server.Close()
			}()
			go func() {
				copyUntilEnd(client, server)
				client.Close()
				p.ended <- struct{}{}
			}()
		}
	}()
	return p
}

func copyUntilEnd(to, from net.Conn) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		if _, writeErr := to.Write(buf[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

// turnedAway waits until the server has closed a connection.
func (w *world) turnedAway(p *tap) {
	w.t.Helper()
	select {
	case <-p.ended:
	case d := <-w.decisions:
		require.FailNow(w.t, "the authenticator was asked", "%v", d)
	case <-w.ctx.Done():
		require.FailNow(w.t, "the server ended no connection")
	}
}

func newKeys(t *testing.T) zmq.CurveKeys {
	t.Helper()
	keys, err := zmq.NewCurveKeys()
	require.NoError(t, err)
	return keys
}
