package request_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/internal/testutil/intercept"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

func TestMain(m *testing.M) { testutil.Main(m, intercept.CheckMessages) }

// newContext returns a context that is closed with the test, and then must not have
// needed its watchdog.
func newContext(t testing.TB) *zmq.Context {
	t.Helper()
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, zctx.Close())
		require.Zero(t, core.Rescues(), "the watchdog found a forgotten waiter")
	})
	return zctx
}

func newSocket(t testing.TB, zctx *zmq.Context, typ zmq.SocketType, settings ...zmq.Setting) *zmq.Socket {
	t.Helper()
	s, err := zctx.NewSocket(typ, append([]zmq.Setting{zmq.Linger.To(0)}, settings...)...)
	require.NoError(t, err)
	return s
}

// bind binds a socket and returns the endpoint.
func bind(t testing.TB, s *zmq.Socket, endpoint string) string {
	t.Helper()
	require.NoError(t, s.Bind(endpoint))
	actual, err := s.LastEndpoint()
	require.NoError(t, err)
	return actual
}

// dial returns a client that is connected to an endpoint.
func dial(t testing.TB, zctx *zmq.Context, endpoint string, config request.Config, settings ...zmq.Setting) *request.Client {
	t.Helper()
	s := newSocket(t, zctx, zmq.Dealer, settings...)
	require.NoError(t, s.Connect(endpoint))
	client, err := request.NewClient(s, config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	return client
}

// serve runs a server until the end of the test, or until the returned function is
// called.
func serve(t testing.TB, v *request.Server, s *zmq.Socket) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- v.Serve(ctx, s) }()
	var ended atomic.Bool
	stop = func() {
		cancel()
		if ended.CompareAndSwap(false, true) {
			require.Error(t, <-done)
		}
	}
	t.Cleanup(stop)
	return stop
}

var names atomic.Int64

// transports are the endpoints that a test runs over.
func transports(t *testing.T, test func(t *testing.T, endpoint string)) {
	for name, endpoint := range map[string]string{
		"inproc": fmt.Sprintf("inproc://request-%d", names.Add(1)),
		"tcp":    "tcp://127.0.0.1:*",
		"ipc":    "ipc://*",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, endpoint)
		})
	}
}

// question returns the parts of request i, and answer those of its reply.
func question(i int) [][]byte {
	body := binary.BigEndian.AppendUint32(nil, uint32(i))
	switch i % 4 {
	case 1:
		return [][]byte{body, nil, body}
	case 2:
		return [][]byte{body, bytes.Repeat(body, 100)}
	case 3:
		return [][]byte{body, nil, nil, body, body, nil}
	}
	return [][]byte{body}
}

func answer(question [][]byte) [][]byte {
	return append([][]byte{[]byte("re: ")}, question...)
}

// requireAnswer fails the test if a reply belongs to another question.
func requireAnswer(t testing.TB, i int, reply [][]byte) {
	t.Helper()
	require.True(t, isAnswer(i, reply), "%q is no answer to request %d", reply, i)
}

func isAnswer(i int, reply [][]byte) bool {
	return slices.EqualFunc(answer(question(i)), reply, bytes.Equal)
}

func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// unanswered makes a request that gets no answer. It tries again if the time was over
// before the send, as happens on a busy machine.
func unanswered(t testing.TB, client *request.Client, question string) {
	t.Helper()
	for before := client.Stats().Requests; client.Stats().Requests == before; {
		_, err := client.Request(within(t, 20*time.Millisecond), []byte(question))
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
}

// answering is a server that answers everything.
func answering() *request.Server {
	return &request.Server{Handle: func(_ context.Context, q [][]byte) [][]byte { return answer(q) }, Workers: 3}
}
