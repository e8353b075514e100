package zmq_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// dialEnd connects to the endpoint that a socket was bound to last. With tcp, reset resets the
// connection; with ipc it closes it before everything was read, which has the same effect.
func dialEnd(t testing.TB, s *zmq.Socket) (conn net.Conn, reset func()) {
	t.Helper()
	network, address, _ := strings.Cut(last(t, s), "://")
	if network == "ipc" {
		network = "unix"
	}
	conn, err := net.Dial(network, address)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn, func() {
		if tcp, ok := conn.(*net.TCPConn); ok {
			require.NoError(t, tcp.SetLinger(0))
		}
		require.NoError(t, conn.Close())
	}
}

// requireCloses closes a context. Connections that were lost while the socket ended them must not
// linger for longer than the default.
func requireCloses(t testing.TB, zctx *zmq.Context) {
	t.Helper()
	require.NoError(t, zctx.CloseContext(within(t)))
}

func lingers(t *testing.T, test func(t *testing.T, settings ...zmq.Setting)) {
	for name, settings := range map[string][]zmq.Setting{
		"default": nil, "without limit": {zmq.Linger.To(-1)}, "none": {zmq.Linger.To(0)}, "long": {zmq.Linger.To(time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, settings...)
		})
	}
}

// A STREAM that answers and closes, to a client that aborts before it has read the answer.
func TestCloseAfterStreamPeersReset(t *testing.T) {
	t.Parallel()
	lingers(t, func(t *testing.T, settings ...zmq.Setting) {
		zctx := noErr(zmq.NewContext())(t)
		s := noErr(zctx.NewSocket(zmq.Stream, settings...))(t)
		m := monitor(t, s, zmq.EventDisconnected)
		require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
		for range 4 {
			_, reset := dialEnd(t, s)
			id := recvParts(t, s)[0]
			for range 8 {
				require.NoError(t, s.SendMultipart(within(t), [][]byte{id, make([]byte, 1<<20)}))
			}
			require.NoError(t, s.SendMultipart(within(t), [][]byte{id, nil}))
			reset()
			until(t, m, zmq.EventDisconnected)
		}
		conn, _ := dialEnd(t, s) // the I/O thread has done everything else when it serves this one
		recvParts(t, s)
		require.NoError(t, conn.Close())
		requireCloses(t, zctx)
	})
}

// A client of a ROUTER with RouterHandover that hangs with messages queued for it comes back, and
// then its old connection is reset.
func TestCloseAfterHandoverAndReset(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, endpoint string) {
		lingers(t, func(t *testing.T, settings ...zmq.Setting) {
			zctx := noErr(zmq.NewContext())(t)
			router := noErr(zctx.NewSocket(zmq.Router, append(settings, zmq.RouterHandover.To(true))...))(t)
			require.NoError(t, router.Bind(endpoint))
			m := monitor(t, router, zmq.EventDisconnected)
			dial := func() (reset func()) {
				conn, reset := dialEnd(t, router)
				noErr(conn.Write(append(zmqtest.Greeting(0, "NULL", 0),
					zmqtest.Command("READY", zmqtest.Property("Socket-Type", "DEALER")+zmqtest.Property("Identity", "client"))...)))(t)
				zmqtest.AwaitCommand(conn, true)
				noErr(conn.Write(zmqtest.Frame(0, []byte("hello"))))(t)
				require.Equal(t, "client", string(recvParts(t, router)[0]))
				return reset
			}
			reset := dial()
			for range 8 {
				require.NoError(t, router.SendMultipart(context.Background(), [][]byte{[]byte("client"), make([]byte, 1<<20)}))
			}
			again := dial()
			reset()
			until(t, m, zmq.EventDisconnected)
			again()
			until(t, m, zmq.EventDisconnected)
			dial()
			requireCloses(t, zctx)
		})
	})
}

// What a STREAM has answered to clients that reset their connections is freed while the socket lives.
func TestAnswersToPeersThatResetAreFreed(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	s := noErr(zctx.NewSocket(zmq.Stream))(t)
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	released := make(chan struct{}, 100)
	const clients, parts = 5, 10
	for range clients {
		_, reset := dialEnd(t, s)
		id := recvParts(t, s)[0]
		for range parts {
			m, err := zmq.NewMessageZeroCopy(make([]byte, 1<<20), func() { released <- struct{}{} })
			require.NoError(t, err)
			require.NoError(t, s.SendMessageTo(within(t), id, m))
		}
		require.NoError(t, s.SendMultipart(within(t), [][]byte{id, nil}))
		reset()
	}
	ctx := within(t)
	for range clients * parts {
		select {
		case <-released:
		case <-ctx.Done():
			require.Fail(t, "answers are kept")
		}
		_, _ = s.RecvBytes(ctx, zmq.DontWait) // libzmq frees them when the socket is used
	}
}
