package zmq_test

import (
	"bytes"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A wire passes one connection on, and keeps all that goes over it.
type wire struct {
	mu    sync.Mutex
	seen  bytes.Buffer
	conns []net.Conn
}

// newWire returns an endpoint in front of the one given.
func newWire(t *testing.T, endpoint string) (w *wire, front string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w = new(wire)
	var work sync.WaitGroup
	t.Cleanup(func() {
		_ = l.Close()
		w.mu.Lock()
		for _, c := range w.conns {
			_ = c.Close()
		}
		w.mu.Unlock()
		work.Wait()
	})
	work.Go(func() {
		client, err := l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", strings.TrimPrefix(endpoint, "tcp://"))
		if err != nil {
			_ = client.Close()
			return
		}
		w.mu.Lock()
		w.conns = append(w.conns, client, server)
		w.mu.Unlock()
		work.Go(func() { w.copy(server, client) })
		w.copy(client, server)
	})
	return w, "tcp://" + l.Addr().String()
}

// copy passes on what comes, until either end is closed, and then closes both.
func (w *wire) copy(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		w.mu.Lock()
		w.seen.Write(buf[:n])
		w.mu.Unlock()
		if err != nil {
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

func (w *wire) shows(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Contains(w.seen.String(), text)
}

// With CURVE nobody on the way can read a message, nor who is spoken to; with the other
// mechanisms everybody can.
func TestCurveEncrypts(t *testing.T) {
	t.Parallel()
	server, client := newKeys(t), newKeys(t)
	for name, test := range map[string]struct {
		server, client []zmq.Setting
		readable       bool
	}{
		"NULL":  {nil, nil, true},
		"CURVE": {[]zmq.Setting{zmq.AsCurveServer(server.Secret, zmq.AllowAnyClient())}, []zmq.Setting{zmq.AsCurveClient(server.Public, client)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zctx := newContext(t)
			rep, req := newSocket(t, zctx, zmq.Rep, test.server...), newSocket(t, zctx, zmq.Req, test.client...)
			require.NoError(t, rep.Bind("tcp://127.0.0.1:*"))
			w, front := newWire(t, last(t, rep))
			require.NoError(t, req.Connect(front))
			ctx := soon(t)
			for _, size := range []int{1, 10, 1000} {
				question, answer := strings.Repeat("a question ", size), strings.Repeat("an answer ", size)
				require.NoError(t, req.SendString(ctx, question))
				got, err := rep.RecvString(ctx)
				require.NoError(t, err)
				require.Equal(t, question, got)
				require.NoError(t, rep.SendString(ctx, answer))
				got, err = req.RecvString(ctx)
				require.NoError(t, err)
				require.Equal(t, answer, got)
				require.Equal(t, test.readable, w.shows("a question "))
				require.Equal(t, test.readable, w.shows("an answer "))
			}
			mechanism, err := zmq.Mechanism.Get(rep)
			require.NoError(t, err)
			require.Equal(t, name, strings.ToUpper(mechanism.String()))
			require.True(t, w.shows(name), "the greeting is seen")
			for _, secret := range []string{server.Secret, client.Secret} {
				raw, err := zmq.Z85Decode(secret)
				require.NoError(t, err)
				require.False(t, w.shows(string(raw)))
			}
		})
	}
}
