package request_test

import (
	"context"
	"encoding/binary"
	"os"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

// Request accepts the reply to any of its attempts, and drops the other ones.
func TestReplyToEarlierAttempt(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	router := newSocket(t, zctx, zmq.Router)
	endpoint := bind(t, router, "tcp://127.0.0.1:*")
	client := dial(t, zctx, endpoint, request.Config{Attempts: -1, Timeout: 20 * time.Millisecond})
	go func() {
		first, err := router.RecvMultipart(context.Background())
		if err != nil {
			t.Error(err)
			return
		}
		second, err := router.RecvMultipart(context.Background())
		if err != nil {
			t.Error(err)
			return
		}
		for _, m := range [][][]byte{first, second} {
			if err := router.SendMultipart(context.Background(), m); err != nil {
				t.Error(err)
			}
		}
	}()
	reply, err := client.Request(t.Context(), []byte("echo"), nil)
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("echo"), {}}, reply)
	require.Eventually(t, func() bool { return client.Stats().Late == 1 }, 10*time.Second, time.Millisecond)
	require.NotZero(t, client.Stats().Retries)
}

func TestAttemptsRunOut(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	router := newSocket(t, zctx, zmq.Router)
	client := dial(t, zctx, bind(t, router, "tcp://127.0.0.1:*"), request.Config{Attempts: 3, Timeout: 2 * time.Millisecond})
	_, err := client.Request(t.Context(), []byte("hello"))
	require.ErrorIs(t, err, zmq.ErrAgain)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.ErrorContains(t, err, "3 attempts of 2ms")
	require.IsType(t, &zmq.Error{}, err)
	require.True(t, err.(*zmq.Error).Timeout())
	for range 3 {
		m := zmqtest.RecvParts(t, router)
		require.Len(t, m, 4)
		require.Equal(t, "hello", string(m[3]))
	}
	_, err = router.RecvBytes(context.Background(), zmq.DontWait)
	require.ErrorIs(t, err, zmq.ErrAgain)
	require.EqualValues(t, 2, client.Stats().Retries)
}

// Without a server the socket's queue bounds the number of waiting requests, including
// those whose callers gave up.
func TestRequestWithoutRoom(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	for _, config := range []request.Config{{}, {Attempts: 2, Timeout: time.Millisecond}, {Attempts: -1, Timeout: time.Millisecond}} {
		s := newSocket(t, zctx, zmq.Dealer, zmq.SendHWM.To(5))
		require.NoError(t, s.Bind("tcp://127.0.0.1:*")) // no peer, no room
		client, err := request.NewClient(s, config)
		require.NoError(t, err)
		for range 5 {
			ctx, want := within(t, 20*time.Millisecond), context.DeadlineExceeded
			if config.Attempts == 2 {
				ctx, want = t.Context(), zmq.ErrAgain
			}
			_, err := client.Request(ctx, make([]byte, 100_000))
			require.ErrorIs(t, err, want)
		}
		require.Zero(t, client.Stats().Waiting)
		require.NoError(t, client.Close())
	}
}

// Close ends all requests, including those that wait for room, and waits for none of
// them.
func TestCloseEndsRequests(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(zctx *zmq.Context, client *request.Client, s *zmq.Socket) error{
		"close":        func(_ *zmq.Context, client *request.Client, _ *zmq.Socket) error { return client.Close() },
		"close socket": func(_ *zmq.Context, _ *request.Client, s *zmq.Socket) error { return s.Close() },
		"shutdown":     func(zctx *zmq.Context, _ *request.Client, _ *zmq.Socket) error { return zctx.Shutdown() },
	} {
		for _, bound := range []bool{false, true} { // with room for the requests, and without
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				zctx := newContext(t)
				router := newSocket(t, zctx, zmq.Router)
				endpoint := bind(t, router, "tcp://127.0.0.1:*")
				s := newSocket(t, zctx, zmq.Dealer)
				if bound {
					bind(t, s, "tcp://127.0.0.1:*")
				} else {
					require.NoError(t, s.Connect(endpoint))
				}
				client, err := request.NewClient(s, request.Config{Attempts: -1, Timeout: 10 * time.Millisecond})
				require.NoError(t, err)
				failed := make(chan error)
				for range 20 {
					go func() {
						_, err := client.Request(context.Background(), []byte("hello"))
						failed <- err
					}()
				}
				require.Eventually(t, func() bool { return client.Stats().Waiting == 20 }, 10*time.Second, time.Millisecond)
				require.NoError(t, end(zctx, client, s))
				want := zmq.ErrClosed
				if name == "shutdown" {
					want = zmq.ErrTerminated
				}
				for range 20 {
					require.ErrorIs(t, <-failed, want)
				}
				_, err = client.Request(context.Background(), []byte("hello"))
				require.ErrorIs(t, err, want)
				require.NoError(t, client.Close())
				require.NoError(t, client.Close())
				_, err = client.Request(context.Background(), []byte("hello"))
				require.ErrorIs(t, err, zmq.ErrClosed)
				require.Zero(t, client.Stats().Waiting)
			})
		}
	}
}

// A message that no request waits for is dropped and counted, whatever its form.
func TestStrayReplies(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	router := newSocket(t, zctx, zmq.Router)
	client := dial(t, zctx, bind(t, router, "tcp://127.0.0.1:*"), request.Config{})
	go func() {
		m, err := router.RecvMultipart(context.Background())
		if err != nil {
			t.Error(err)
			return
		}
		peer, number := m[0], m[1]
		other := binary.BigEndian.AppendUint64(nil, binary.BigEndian.Uint64(number)+1)
		strays := [][][]byte{
			{{}},
			{[]byte("text")},
			{number},
			{number, number},
			{number[:7], {}, {1}},
			{append(number, 0), {}, {1}},
			{other, {}, {1}},
			{{}, number, {1}},
			{{}, {}},
			make([][]byte, 20),
		}
		for _, stray := range strays {
			if err := router.SendMultipart(context.Background(), append([][]byte{peer}, stray...)); err != nil {
				t.Error(err)
			}
		}
		if err := router.SendMultipart(context.Background(), [][]byte{peer, number, {}}); err != nil { // of no parts
			t.Error(err)
		}
	}()
	reply, err := client.Request(t.Context(), []byte("hello"))
	require.NoError(t, err)
	require.NotNil(t, reply)
	require.Empty(t, reply)
	require.EqualValues(t, 10, client.Stats().Late)
}

func TestBadClients(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	_, err := request.NewClient(newSocket(t, zctx, zmq.Req), request.Config{})
	require.ErrorIs(t, err, syscall.EINVAL)
	require.ErrorContains(t, err, "not a REQ")
	_, err = request.NewClient(nil, request.Config{})
	require.ErrorIs(t, err, zmq.ErrClosed)
	closed := newSocket(t, zctx, zmq.Dealer)
	require.NoError(t, closed.Close())
	_, err = request.NewClient(closed, request.Config{})
	require.ErrorIs(t, err, zmq.ErrClosed)
	_, err = request.NewClient(newSocket(t, zctx, zmq.Dealer), request.Config{Attempts: -1})
	require.ErrorIs(t, err, syscall.EINVAL)

	for _, unmade := range []*request.Client{nil, {}} {
		_, err = unmade.Request(t.Context(), []byte("hello"))
		require.ErrorIs(t, err, zmq.ErrClosed)
		require.NoError(t, unmade.Close())
		require.Zero(t, unmade.Stats())
	}
	client := dial(t, zctx, bind(t, newSocket(t, zctx, zmq.Router), "tcp://127.0.0.1:*"), request.Config{})
	_, err = client.Request(t.Context())
	require.ErrorIs(t, err, syscall.EINVAL)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = client.Request(ctx, []byte("hello"))
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, client.Stats())
}

// A request under way needs no goroutine except its caller's.
func TestNoGoroutinePerRequest(t *testing.T) {
	zctx := newContext(t)
	router := newSocket(t, zctx, zmq.Router)
	client := dial(t, zctx, bind(t, router, "inproc://many-requests"), request.Config{Attempts: 2, Timeout: time.Minute}, zmq.SendHWM.To(0))
	const requests = 500
	before := runtime.NumGoroutine()
	var callers sync.WaitGroup
	for i := range requests {
		callers.Go(func() {
			reply, err := client.Request(context.Background(), question(i)...)
			if err != nil || !isAnswer(i, reply) {
				t.Errorf("request %d: %q, %v", i, reply, err)
			}
		})
	}
	require.Eventually(t, func() bool { return client.Stats().Waiting == requests }, 10*time.Second, time.Millisecond)
	require.LessOrEqual(t, runtime.NumGoroutine(), before+requests+5)
	stop := serve(t, answering(), router)
	callers.Wait()
	stop()
}
