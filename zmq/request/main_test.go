package request_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/intercept"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

func TestMain(m *testing.M) { testutil.Main(m, intercept.CheckMessages) }

var (
	newContext = zmqtest.NewContext
	newSocket  = zmqtest.NewSocket
	transports = zmqtest.Transports
	scaled     = testutil.Scaled
	within     = zmqtest.Timeout
)

// bind binds a socket and returns the endpoint.
func bind(t testing.TB, s *zmq.Socket, endpoint string) string {
	t.Helper()
	require.NoError(t, s.Bind(endpoint))
	return zmqtest.LastEndpoint(t, s)
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

// routed returns a ROUTER and a client that is connected to it.
func routed(t testing.TB, config request.Config) (*zmq.Socket, *request.Client) {
	t.Helper()
	zctx := newContext(t)
	router := newSocket(t, zctx, zmq.Router)
	return router, dial(t, zctx, bind(t, router, "tcp://127.0.0.1:*"), config)
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
