package request_test

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

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
	router, client := routed(t, request.Config{})
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

// unreliable answers on a ROUTER, but drops every third request and answers every fifth
// only after its client has given up. It returns when the socket is closed.
func unreliable(s *zmq.Socket, late time.Duration) {
	type held struct {
		due   time.Time
		reply [][]byte
	}
	var queue []held
	for n := 1; ; n++ {
		m, err := s.RecvMultipart(context.Background())
		if err != nil {
			return
		}
		// [client][number][][request...]
		reply := append(m[:3:3], answer(m[3:])...)
		switch {
		case n%3 == 0:
		case n%5 == 0:
			queue = append(queue, held{time.Now().Add(late), reply})
		default:
			_ = s.SendMultipart(context.Background(), reply)
		}
		for len(queue) > 0 && time.Now().After(queue[0].due) {
			_ = s.SendMultipart(context.Background(), queue[0].reply)
			queue = queue[1:]
		}
	}
}

// Many goroutines share one client. Most give up soon, and replies are lost or late. No
// request gets the reply of another, and the client keeps working.
func TestRepliesAreNeverMixedUp(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]request.Config{
		"one attempt":    {},
		"three attempts": {Attempts: 3, Timeout: 7 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			transports(t, func(t *testing.T, endpoint string) {
				zctx := newContext(t)
				router := newSocket(t, zctx, zmq.Router)
				endpoint = bind(t, router, endpoint)
				done := make(chan struct{})
				go func() {
					defer close(done)
					unreliable(router, 30*time.Millisecond)
				}()
				client := dial(t, zctx, endpoint, config)
				requests := scaled(10_000)
				var next, answered, failed atomic.Int64
				var askers sync.WaitGroup
				for range 50 {
					askers.Go(func() {
						for i := int(next.Add(1)); i <= requests; i = int(next.Add(1)) {
							ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
							reply, err := client.Request(ctx, question(i)...)
							cancel()
							switch {
							case err == nil && isAnswer(i, reply):
								answered.Add(1)
							case errors.Is(err, context.DeadlineExceeded), errors.Is(err, zmq.ErrAgain):
								failed.Add(1)
							default:
								t.Errorf("request %d: %q, %v", i, reply, err)
							}
						}
					})
				}
				askers.Wait()
				// The client still works: about every second such request gets a reply in
				// time.
				require.Eventually(t, func() bool {
					ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
					defer cancel()
					reply, err := client.Request(ctx, question(0)...)
					return err == nil && isAnswer(0, reply)
				}, 20*time.Second, time.Millisecond)
				require.Eventually(t, func() bool { return client.Stats().Late > 0 }, 20*time.Second, time.Millisecond)
				stats := client.Stats()
				t.Logf("%d answered, %d not; %+v", answered.Load(), failed.Load(), stats)
				require.EqualValues(t, requests, answered.Load()+failed.Load())
				require.Zero(t, stats.Waiting)
				require.Equal(t, config.Attempts > 1, stats.Retries > 0)
				require.NoError(t, router.Close())
				<-done
			})
		})
	}
}

// A request during the server's absence gets its reply when the server is back, and so do
// later ones.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "zmq") // not t.TempDir: its names can be too long
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	for _, endpoint := range []string{"tcp://127.0.0.1:*", "ipc://" + dir + "/restarts"} {
		t.Run(endpoint[:3], func(t *testing.T) {
			t.Parallel()
			if endpoint[:3] == "ipc" {
				zmqtest.NeedIPC(t)
			}
			zctx := newContext(t)
			rep := newSocket(t, zctx, zmq.Rep)
			endpoint := bind(t, rep, endpoint)
			stop := serve(t, answering(), rep)
			client := dial(t, zctx, endpoint, request.Config{Attempts: -1, Timeout: 100 * time.Millisecond},
				zmq.ReconnectInterval.To(10*time.Millisecond))
			for round := range 3 {
				for i := range 10 {
					reply, err := client.Request(within(t, 10*time.Second), question(i)...)
					require.NoError(t, err)
					requireAnswer(t, i, reply)
				}
				stop()
				require.NoError(t, rep.Close())
				_, err := client.Request(within(t, 20*time.Millisecond), question(round)...)
				require.ErrorIs(t, err, context.DeadlineExceeded)

				replies := make(chan [][]byte, 5)
				for i := range 5 {
					go func() {
						reply, err := client.Request(within(t, 20*time.Second), question(i)...)
						if err != nil || !isAnswer(i, reply) {
							t.Errorf("request %d: %q, %v", i, reply, err)
						}
						replies <- reply
					}()
				}
				rep = newSocket(t, zctx, zmq.Rep)
				require.Eventually(t, func() bool { return rep.Bind(endpoint) == nil }, 10*time.Second, time.Millisecond)
				stop = serve(t, answering(), rep)
				for range 5 {
					<-replies
				}
			}
		})
	}
}

// A lost reply fails only its request. A REQ could not send again, but the next request
// of the Client succeeds.
func TestLostReply(t *testing.T) {
	t.Parallel()
	router, client := routed(t, request.Config{})
	unanswered(t, client, "lost")
	lost := zmqtest.RecvParts(t, router)

	stop := serve(t, answering(), router)
	reply, err := client.Request(t.Context(), question(1)...)
	require.NoError(t, err)
	requireAnswer(t, 1, reply)
	stop()
	require.NoError(t, router.SendMultipart(context.Background(), append(lost[:3], []byte("late"))))
	require.Eventually(t, func() bool { return client.Stats().Late == 1 }, 10*time.Second, time.Millisecond)
}
