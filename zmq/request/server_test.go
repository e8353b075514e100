package request_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

// askMany makes requests of one client in many goroutines and checks the replies.
func askMany(t *testing.T, client *request.Client, requests int) {
	t.Helper()
	var next atomic.Int64
	var askers sync.WaitGroup
	for range 16 {
		askers.Go(func() {
			for i := int(next.Add(1)); i <= requests; i = int(next.Add(1)) {
				reply, err := client.Request(context.Background(), question(i)...)
				if err != nil || !isAnswer(i, reply) {
					t.Errorf("request %d: %q, %v", i, reply, err)
				}
			}
		})
	}
	askers.Wait()
	require.Zero(t, client.Stats().Late)
}

// A client works with every server that returns the parts up to the empty one: a Server
// on a ROUTER or a REP, and a plain REP.
func TestClientAndServers(t *testing.T) {
	t.Parallel()
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Rep} {
		t.Run(typ.String(), func(t *testing.T) {
			t.Parallel()
			transports(t, func(t *testing.T, endpoint string) {
				zctx := newContext(t)
				s := newSocket(t, zctx, typ)
				endpoint = bind(t, s, endpoint)
				v := answering()
				serve(t, v, s)
				requests := scaled(5000)
				askMany(t, dial(t, zctx, endpoint, request.Config{}), requests)
				// The client may have the last reply before the server has counted it.
				all := request.ServerStats{Replies: uint64(requests)}
				require.Eventually(t, func() bool { return v.Stats() == all }, 10*time.Second, time.Millisecond)
			})
		})
	}
	t.Run("plain REP", func(t *testing.T) {
		t.Parallel()
		transports(t, func(t *testing.T, endpoint string) {
			zctx := newContext(t)
			rep := newSocket(t, zctx, zmq.Rep)
			endpoint = bind(t, rep, endpoint)
			done := make(chan error, 1)
			go func() {
				for {
					m, err := rep.RecvMultipart(context.Background())
					if err == nil {
						err = rep.SendMultipart(context.Background(), answer(m))
					}
					if err != nil {
						done <- err
						return
					}
				}
			}()
			askMany(t, dial(t, zctx, endpoint, request.Config{}), scaled(5000))
			require.NoError(t, rep.Close())
			require.ErrorIs(t, <-done, zmq.ErrClosed)
		})
	})
}

// A panic of a handler affects only its own reply.
func TestPanicsAreContained(t *testing.T) {
	t.Parallel()
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Rep} {
		t.Run(typ.String(), func(t *testing.T) {
			t.Parallel()
			zctx := newContext(t)
			v := &request.Server{Workers: 2}
			v.Handle = func(_ context.Context, q [][]byte) [][]byte {
				switch string(q[0]) {
				case "panic", "panic twice":
					panic(string(q[0]))
				case "nil":
					var none []int
					_ = none[len(q)]
				case "silence":
					return nil
				}
				return q
			}
			v.Panicked = func(q [][]byte, value any, stack []byte) [][]byte {
				if value == "panic twice" {
					panic("again")
				}
				if !strings.Contains(string(stack), "TestPanicsAreContained") {
					t.Errorf("no stack: %s", stack)
				}
				if err, ok := value.(runtime.Error); ok {
					value = err.Error()
				}
				return [][]byte{[]byte("sorry: " + value.(string))}
			}
			s := newSocket(t, zctx, typ)
			client := dial(t, zctx, bind(t, s, "tcp://127.0.0.1:*"), request.Config{})
			stop := serve(t, v, s)
			ask := func(what string) string {
				t.Helper()
				reply, err := client.Request(t.Context(), []byte(what))
				require.NoError(t, err)
				require.Len(t, reply, 1)
				return string(reply[0])
			}
			noAnswer := func(what string) {
				t.Helper()
				if typ == zmq.Rep { // has to answer
					require.Empty(t, ask(what))
					return
				}
				unanswered(t, client, what)
			}
			require.Equal(t, "sorry: panic", ask("panic"))
			require.Contains(t, ask("nil"), "index out of range")
			for _, what := range []string{"silence", "panic twice"} {
				noAnswer(what)
				require.Equal(t, "fine", ask("fine"))
			}
			stop()
			stats := v.Stats()
			require.EqualValues(t, 4, stats.Panics) // the first two, and one twice
			require.EqualValues(t, 2, stats.Unanswered)

			// Without Panicked there is no reply.
			quiet := &request.Server{Handle: v.Handle}
			stop = serve(t, quiet, s)
			noAnswer("panic")
			require.Equal(t, "fine", ask("fine"))
			stop()
			require.EqualValues(t, 1, quiet.Stats().Panics)
		})
	}
}

// When the context is done, requests in a handler still get a reply. Others wait for the
// next Serve.
func TestServeEndsInOrder(t *testing.T) {
	t.Parallel()
	router, client := routed(t, request.Config{})
	begun := make(chan struct{})
	v := &request.Server{Workers: 1, Handle: func(ctx context.Context, q [][]byte) [][]byte {
		begun <- struct{}{}
		<-ctx.Done()
		return answer(q)
	}}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- v.Serve(ctx, router) }()
	var askers sync.WaitGroup
	for i := range 2 {
		askers.Go(func() {
			reply, err := client.Request(context.Background(), question(i)...)
			if err != nil || !isAnswer(i, reply) {
				t.Errorf("request %d: %q, %v", i, reply, err)
			}
		})
	}
	<-begun
	cancel()
	require.ErrorIs(t, <-served, context.Canceled)
	require.EqualValues(t, 1, v.Stats().Replies)
	serve(t, answering(), router)
	askers.Wait()
}

// A reply that cannot be delivered is dropped and counted. The next one is sent.
func TestRepliesThatCannotBeDelivered(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	router := newSocket(t, zctx, zmq.Router, zmq.RouterMandatory.To(true), zmq.SendHWM.To(1))
	endpoint := bind(t, router, "inproc://undelivered")
	large := make([]byte, 1000)
	v := &request.Server{Handle: func(context.Context, [][]byte) [][]byte { return [][]byte{large} }, Workers: 1}
	stop := serve(t, v, router)
	greedy := newSocket(t, zctx, zmq.Dealer, zmq.RecvHWM.To(1))
	require.NoError(t, greedy.Connect(endpoint))
	for range 10 { // and takes no reply
		require.NoError(t, greedy.SendMultipart(context.Background(), [][]byte{nil, []byte("more")}))
	}
	require.Eventually(t, func() bool { return v.Stats() == request.ServerStats{Replies: 2, Undelivered: 8} }, 10*time.Second, time.Millisecond)
	client := dial(t, zctx, endpoint, request.Config{})
	_, err := client.Request(t.Context(), []byte("hello"))
	require.NoError(t, err)
	stop()
	require.NoError(t, greedy.SendMultipart(context.Background(), [][]byte{nil, []byte("and away")}))
	require.NoError(t, greedy.Close())
	_, err = greedy.RecvBytes(context.Background())
	require.ErrorIs(t, err, zmq.ErrClosed)
	serve(t, v, router)
	_, err = client.Request(t.Context(), []byte("hello"))
	require.NoError(t, err)
}

func TestServeErrors(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	v := answering()
	require.ErrorIs(t, v.Serve(t.Context(), newSocket(t, zctx, zmq.Pull)), syscall.EINVAL)
	require.ErrorIs(t, v.Serve(t.Context(), nil), zmq.ErrClosed)
	require.ErrorIs(t, (*request.Server)(nil).Serve(t.Context(), newSocket(t, zctx, zmq.Rep)), syscall.EINVAL)
	require.Zero(t, (*request.Server)(nil).Stats())
	require.ErrorIs(t, (&request.Server{}).Serve(t.Context(), newSocket(t, zctx, zmq.Rep)), syscall.EINVAL)
	for name, end := range map[string]func(s *zmq.Socket) error{
		"close":    (*zmq.Socket).Close,
		"shutdown": func(*zmq.Socket) error { return zctx.Shutdown() },
	} {
		s := newSocket(t, zctx, zmq.Router)
		served := make(chan error, 1)
		go func() { served <- v.Serve(t.Context(), s) }()
		require.NoError(t, end(s))
		err := <-served
		require.IsType(t, &zmq.Error{}, err)
		require.True(t, errors.Is(err, zmq.ErrClosed) || errors.Is(err, zmq.ErrTerminated), name)
		if name == "shutdown" {
			return
		}
	}
}

// A handler that ends its goroutine does not leave Serve without workers.
func TestHandlerEndsGoroutine(t *testing.T) {
	t.Parallel()
	router, client := routed(t, request.Config{})
	v := &request.Server{Handle: func(context.Context, [][]byte) [][]byte { runtime.Goexit(); return nil }, Workers: 2}
	served := make(chan error, 1)
	go func() { served <- v.Serve(context.Background(), router) }()
	unanswered(t, client, "hello")
	err := <-served
	require.ErrorIs(t, err, syscall.ECANCELED)
	require.ErrorContains(t, err, "Goexit")
}
