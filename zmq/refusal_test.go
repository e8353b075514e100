package zmq_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zmqtest"
)

// detail returns the Detail of an error.
func detail(t *testing.T, err error) string {
	t.Helper()
	var e *zmq.Error
	require.ErrorAs(t, err, &e)
	return e.Detail
}

// fill sends until there is no room, and returns the error.
func fill(t *testing.T, send func(flags ...zmq.Flag) error) error {
	t.Helper()
	// libzmq may report no room for a moment after a peer has read.
	for range 100_000 {
		if err := send(zmq.DontWait); err != nil {
			return err
		}
	}
	t.Fatal("there is no limit")
	return nil
}

func TestSendSaysWhyItWaits(t *testing.T) {
	t.Parallel()
	zctx := zmqtest.NewContext(t, zmq.SocketDefaults(zmq.HWM(1)))
	push := zmqtest.NewSocket(t, zctx, zmq.Push)
	message := make([]byte, 1<<20) // larger than the buffers of the system
	send := func(flags ...zmq.Flag) error { return push.Send(context.Background(), message, flags...) }

	const nobody = "no peer is connected"
	require.Equal(t, nobody, detail(t, send(zmq.DontWait)))
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	err := push.Send(ctx, message)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, "context deadline exceeded: "+nobody, detail(t, err))
	require.NoError(t, push.Set(zmq.SendTimeout.To(time.Millisecond)))
	err = send()
	require.ErrorIs(t, err, zmq.ErrAgain)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.Equal(t, "timeout (SendTimeout): "+nobody, detail(t, err))
	require.NoError(t, push.Set(zmq.SendTimeout.To(0)))
	require.Equal(t, "timeout (SendTimeout): "+nobody, detail(t, send()))
	stats := push.Stats()
	require.EqualValues(t, 1, stats.SendWouldBlock)
	require.EqualValues(t, 1, stats.SendWouldBlockNoPeer)
	require.EqualValues(t, 2, stats.SendWaits)
	require.EqualValues(t, 2, stats.SendWaitsNoPeer)

	for i, want := range []string{"the queue of the only peer is full (SendHWM)", "the queues of all 2 peers are full (SendHWM)"} {
		pull := zmqtest.NewSocket(t, zctx, zmq.Pull)
		require.NoError(t, push.Connect(zmqtest.Bind(t, pull, "tcp://127.0.0.1:*")))
		require.NoError(t, push.WaitConnected(zmqtest.Soon(t), i+1))
		require.Equal(t, want, detail(t, fill(t, send)))
	}
	stats = push.Stats()
	require.EqualValues(t, 3, stats.SendWouldBlock)
	require.EqualValues(t, 1, stats.SendWouldBlockNoPeer)
}

func TestSendSaysThatItCannotKnow(t *testing.T) {
	t.Parallel()
	zctx := zmqtest.NewContext(t, zmq.TrackConnections.To(false))
	push := zmqtest.NewSocket(t, zctx, zmq.Push)
	require.Equal(t, "no peer is connected, or the queues of all peers are full (SendHWM)", detail(t, push.Send(context.Background(), nil, zmq.DontWait)))
	require.Zero(t, push.Stats().SendWouldBlockNoPeer)
}

// Every call that sends gives the reason.
func TestEverySendSaysWhy(t *testing.T) {
	t.Parallel()
	s := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Dealer)
	ctx := context.Background()
	batch := zmq.NewBatch(1)
	defer batch.Close()
	require.NoError(t, batch.Append([]byte("x")))
	_, sendBatch := s.SendBatch(ctx, batch, zmq.DontWait)
	require.NoError(t, s.Send(ctx, []byte("x"), zmq.SendMore))
	collected := s.Send(ctx, []byte("y"), zmq.DontWait)
	s.DiscardParts()
	for _, err := range []error{
		sendBatch, collected,
		s.Send(ctx, []byte("x"), zmq.DontWait),
		s.SendString(ctx, "x", zmq.DontWait),
		s.SendMultipart(ctx, [][]byte{{1}, {2}}, zmq.DontWait),
		s.SendMessage(ctx, new(zmq.Message), zmq.DontWait),
		s.SendMultipartMessage(ctx, make(zmq.Multipart, 2), zmq.DontWait),
		s.SendJSON(ctx, 7, zmq.DontWait),
	} {
		require.ErrorIs(t, err, zmq.ErrAgain)
		require.Equal(t, "no peer is connected", detail(t, err))
	}
}

func TestDontWaitInLoopDoesNotAllocate(t *testing.T) {
	if testutil.Race || testutil.Asan {
		t.Skip("the race detector and AddressSanitizer allocate")
	}
	s := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Push)
	ctx, part := context.Background(), []byte("x")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if s.Send(ctx, part, zmq.DontWait) == nil {
			t.Error("sent")
		}
	}))
}

// clientOf returns a ROUTER with a policy, and a client of it that does not read.
func clientOf(t *testing.T, policy zmq.FullPolicy) (router, client *zmq.Socket) {
	t.Helper()
	zctx := zmqtest.NewContext(t, zmq.SocketDefaults(zmq.HWM(1)))
	router = zmqtest.NewSocket(t, zctx, zmq.Router, zmq.WhenFull.To(policy))
	client = zmqtest.NewSocket(t, zctx, zmq.Dealer, zmq.RoutingID.To([]byte("client")))
	zmqtest.Connect(t, router, client, zmqtest.InprocName())
	require.NoError(t, client.SendString(zmqtest.Soon(t), "hello"))
	_, err := router.RecvMultipart(zmqtest.Soon(t)) // the ROUTER knows it now
	require.NoError(t, err)
	return router, client
}

func to(id string) [][]byte { return [][]byte{[]byte(id), []byte("reply")} }

func TestWhenFullOnRouter(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, policy := range []zmq.FullPolicy{zmq.DropCounted, zmq.Block, zmq.Fail} {
		t.Run(policy.String(), func(t *testing.T) {
			t.Parallel()
			router, client := clientOf(t, policy)
			got, err := zmq.WhenFull.Get(router)
			require.NoError(t, err)
			require.Equal(t, policy, got)
			const many = 10
			accepted, refused := 0, 0
			for range many {
				err := router.SendMultipart(ctx, to("client"), zmq.DontWait)
				if err == nil {
					accepted++
					continue
				}
				require.ErrorIs(t, err, zmq.ErrAgain)
				require.Equal(t, "the queue of the peer with that routing ID is full (SendHWM)", detail(t, err))
				refused++
			}
			unknown := router.SendMultipart(ctx, to("nobody"))
			stats := router.Stats()
			if policy == zmq.DropCounted {
				require.Zero(t, refused)
				require.NoError(t, unknown)
				require.EqualValues(t, 1, stats.DroppedUnknown)
				require.NotZero(t, stats.DroppedFull)
				require.Equal(t, stats.DroppedFull+stats.DroppedUnknown, stats.Dropped)
			} else {
				require.NotZero(t, refused)
				require.ErrorIs(t, unknown, zmq.ErrHostUnreachable)
				require.ErrorContains(t, unknown, "no peer with this routing ID")
				require.Zero(t, stats.Dropped)
				require.EqualValues(t, refused, stats.SendWouldBlock)
			}
			// What was accepted and not dropped arrives.
			for range uint64(accepted) - stats.DroppedFull {
				_, err := client.RecvBytes(zmqtest.Soon(t))
				require.NoError(t, err)
			}
			_, err = client.RecvBytes(ctx, zmq.DontWait)
			require.ErrorIs(t, err, zmq.ErrAgain)
		})
	}
}

// A blocked send goes on when the peer reads, and Fail does not block.
func TestWhenFullBlocksAndFailsOnRouter(t *testing.T) {
	t.Parallel()
	router, client := clientOf(t, zmq.Block)
	send := func(flags ...zmq.Flag) error {
		return router.SendMultipart(zmqtest.Soon(t), to("client"), flags...)
	}
	fill(t, send)
	sent := make(chan error, 1)
	go func() { sent <- router.SendMultipart(zmqtest.Soon(t), to("client")) }()
	for {
		select {
		case err := <-sent:
			require.NoError(t, err)
		default:
			_, err := client.RecvBytes(zmqtest.Soon(t), zmq.DontWait)
			require.True(t, err == nil || errors.Is(err, zmq.ErrAgain))
			continue
		}
		break
	}
	fill(t, send)
	require.NoError(t, router.Set(zmq.WhenFull.To(zmq.Fail)))
	require.ErrorIs(t, send(), zmq.ErrAgain)
}

// A batch goes on after the messages that are dropped.
func TestWhenFullCountsInBatchesOfRouter(t *testing.T) {
	t.Parallel()
	router, client := clientOf(t, zmq.DropCounted)
	const messages = 300
	batch := zmq.NewBatch(messages)
	defer batch.Close()
	for i := range messages {
		id := "nobody"
		if i == messages-1 {
			id = "client"
		}
		require.NoError(t, batch.Append(to(id)...))
	}
	_, err := router.SendBatch(zmqtest.Soon(t), batch)
	require.NoError(t, err)
	require.Zero(t, batch.Len())
	require.EqualValues(t, messages-1, router.Stats().DroppedUnknown)
	_, err = client.RecvBytes(zmqtest.Soon(t))
	require.NoError(t, err)
}

func TestRouterMandatoryIsAPolicy(t *testing.T) {
	t.Parallel()
	router := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Router)
	for _, step := range []struct {
		set  zmq.Setting
		want zmq.FullPolicy
	}{
		{zmq.RouterMandatory.To(false), zmq.Drop},
		{zmq.RouterMandatory.To(true), zmq.Block},
		{zmq.WhenFull.To(zmq.DropCounted), zmq.DropCounted},
		{zmq.RouterMandatory.To(false), zmq.Drop},
		{zmq.WhenFull.To(zmq.Fail), zmq.Fail},
	} {
		require.NoError(t, router.Set(step.set))
		got, err := zmq.WhenFull.Get(router)
		require.NoError(t, err)
		require.Equal(t, step.want, got)
	}
	require.NoError(t, router.Set(zmq.WhenFull.To(zmq.Drop)))
	require.NoError(t, router.SendMultipart(zmqtest.Soon(t), to("nobody")), "not mandatory any more")
}
