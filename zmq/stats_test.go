package zmq_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// Each way to send and each way to receive counts a message, its parts and its bytes.
func TestStatsOfEveryCall(t *testing.T) {
	t.Parallel()
	messages := [][][]byte{{[]byte("abcde")}, {[]byte("ab"), []byte("cde")}, {[]byte("a"), []byte("b"), nil, []byte("c"), []byte("d"), []byte("e")}}
	for _, ahead := range []int{0, 8} {
		for sendName, send := range sendWays {
			for name, receive := range receiveOne {
				zctx := newContext(t)
				push, pull := newSocket(t, zctx, zmq.Push), newSocket(t, zctx, zmq.Pull, zmq.ReadAhead.To(ahead))
				connect(t, pull, push, inprocName())
				what := sendName + ", " + name
				for i, parts := range messages {
					require.NoError(t, send(push, parts...), what)
					noErr(receive(pull))(t)
					got, count := push.Stats(), [3]uint64{uint64(i + 1), []uint64{1, 3, 9}[i], 5 * uint64(i+1)}
					require.Equal(t, count, [3]uint64{got.MessagesSent, got.PartsSent, got.BytesSent}, what)
					got = pull.Stats()
					require.Equal(t, count, [3]uint64{got.MessagesReceived, got.PartsReceived, got.BytesReceived}, what)
					require.Zero(t, push.Stats().MessagesReceived+pull.Stats().MessagesSent, what)
				}
				got := pull.Stats()
				require.NoError(t, zctx.Close())
				got.Connections = 0
				require.Equal(t, got, pull.Stats(), "the counts outlive the socket")
			}
		}
	}
}

// A message counts as sent, and as received, with its last part.
func TestStatsOfParts(t *testing.T) {
	t.Parallel()
	pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
	require.NoError(t, push.SendString(context.Background(), "1", zmq.SendMore))
	require.Zero(t, push.Stats().PartsSent)
	require.NoError(t, push.SendString(context.Background(), "2"))
	require.EqualValues(t, 2, push.Stats().PartsSent)
	for more := true; more; more = pull.RecvMore() {
		require.Zero(t, pull.Stats().MessagesReceived)
		recvBytes(t, pull)
	}
	require.EqualValues(t, 1, pull.Stats().MessagesReceived)
}

// What could not be done at once is counted, and what was not sent is not.
func TestStatsOfWaiting(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	push, pull := newSocket(t, zctx, zmq.Push, zmq.SendHWM.To(1)), newSocket(t, zctx, zmq.Pull, zmq.RecvHWM.To(1))
	require.ErrorIs(t, push.SendString(context.Background(), "nobody", zmq.DontWait), zmq.ErrAgain)
	require.ErrorIs(t, errOf(pull.RecvBytes(context.Background(), zmq.DontWait)), zmq.ErrAgain)
	require.NoError(t, pull.Set(zmq.RecvTimeout.To(time.Millisecond)))
	require.ErrorIs(t, errOf(pull.RecvBytes(context.Background())), zmq.ErrAgain)

	require.Equal(t, zmq.Stats{SendWouldBlock: 1}, push.Stats())
	require.Equal(t, zmq.Stats{RecvWouldBlock: 1, RecvWaits: 1}, pull.Stats())

	require.NoError(t, pull.Set(zmq.ReadAhead.To(4), zmq.RecvTimeout.To(-1)))
	require.NoError(t, pull.Bind("inproc://waiting"))
	require.NoError(t, push.Connect("inproc://waiting"))
	require.NoError(t, push.SendString(context.Background(), "a"))
	require.NoError(t, push.SendString(context.Background(), "b"))
	recvBytes(t, pull)
	require.Equal(t, zmq.Stats{
		RecvWouldBlock: 1, RecvWaits: 1, MessagesReceived: 1, PartsReceived: 1, BytesReceived: 1, ReadAhead: 1, Connections: 1,
	}, pull.Stats())
	require.Equal(t, zmq.Stats{}, (*zmq.Socket)(nil).Stats())
}

// A RecvChan tries to receive before it waits. The program did not ask for that.
func TestStatsOfRecvChan(t *testing.T) {
	t.Parallel()
	pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
	c := pull.RecvChan(soon(t))
	for range 50 {
		require.NoError(t, push.SendString(context.Background(), "x"))
		require.Len(t, <-c.C, 1)
	}
	c.Stop()
	require.Zero(t, pull.Stats().RecvWouldBlock)
	require.ErrorIs(t, errOf(pull.RecvBytes(context.Background(), zmq.DontWait)), zmq.ErrAgain)
	require.EqualValues(t, 1, pull.Stats().RecvWouldBlock)
}

// A message that no receiver took does not count, also if the socket was closed.
func TestStatsOfUndeliveredMessage(t *testing.T) {
	t.Parallel()
	for _, end := range []func(*zmq.Socket) error{(*zmq.Socket).Close, func(s *zmq.Socket) error { return s.Context().Shutdown() }} {
		pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
		in := pull.RecvChan(t.Context())
		require.NoError(t, push.SendString(t.Context(), "offered"))
		require.Eventually(t, func() bool { return pull.Stats().MessagesReceived == 1 }, 30*time.Second, time.Millisecond)
		require.NoError(t, end(pull))
		in.Stop()
		got := pull.Stats()
		require.Zero(t, [3]uint64{got.MessagesReceived, got.PartsReceived, got.BytesReceived})
	}
}

// A wait that a timeout or a context ends during its spin counts like one that parks.
func TestStatsOfSpinning(t *testing.T) {
	t.Parallel()
	pull := newSocket(t, newContext(t), zmq.Pull, zmq.SpinTime.To(time.Second))
	ctx := &endingContext{Context: context.Background(), looks: 10}
	require.ErrorIs(t, errOf(pull.RecvBytes(ctx)), context.Canceled)
	require.Equal(t, zmq.Stats{RecvWaits: 1}, pull.Stats())
	require.NoError(t, pull.Set(zmq.RecvTimeout.To(time.Millisecond)))
	require.ErrorIs(t, errOf(pull.RecvBytes(context.Background())), zmq.ErrAgain)
	require.Equal(t, zmq.Stats{RecvWaits: 2}, pull.Stats())
}

// endingContext is done after that many calls of Err.
type endingContext struct {
	context.Context
	looks int
}

func (c *endingContext) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// A connection that is made again counts.
func TestStatsOfReconnects(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"127.0.0.1", "localhost"} { // libzmq reports the address of localhost later
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			zctx := newContext(t)
			pull := newSocket(t, zctx, zmq.Pull)
			require.NoError(t, pull.Bind("tcp://127.0.0.1:*"))
			bound := last(t, pull)
			endpoint := strings.Replace(bound, "127.0.0.1", host, 1)
			push := newSocket(t, zctx, zmq.Push, zmq.ReconnectInterval.To(time.Millisecond))
			require.NoError(t, push.Connect(endpoint))
			ctx := timeout(t, 30*time.Second)
			require.NoError(t, push.WaitConnected(ctx, 1))
			require.Equal(t, zmq.Stats{Connections: 1}, push.Stats())
			monitor := monitor(t, push, zmq.EventDisconnected)
			require.NoError(t, pull.Close())
			require.NoError(t, errOf(monitor.Next(ctx)))
			require.Zero(t, push.Stats().Connections)

			again := newSocket(t, zctx, zmq.Pull)
			require.Eventually(t, func() bool { return again.Bind(bound) == nil }, 30*time.Second, time.Millisecond)
			require.NoError(t, push.WaitConnected(ctx, 1))
			require.Equal(t, zmq.Stats{Connections: 1, Reconnects: 1}, push.Stats())
			require.NoError(t, push.Disconnect(endpoint))
			require.Equal(t, zmq.Stats{Reconnects: 1}, push.Stats())
		})
	}
}

// After Disconnect, libzmq still connects to send the messages that linger. The socket has no peer
// then.
func TestStatsAfterDisconnect(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pull := newSocket(t, zctx, zmq.Pull)
	require.NoError(t, pull.Bind("tcp://127.0.0.1:*"))
	endpoint := last(t, pull)
	require.NoError(t, pull.Unbind(endpoint))
	push := newSocket(t, zctx, zmq.Push, zmq.ReconnectInterval.To(time.Millisecond), zmq.Linger.To(-1))
	monitor := monitor(t, push, zmq.EventHandshakeSucceeded)
	require.NoError(t, push.Connect(endpoint))
	ctx := timeout(t, 30*time.Second)
	require.NoError(t, push.SendString(ctx, "lingers"))
	require.NoError(t, push.Disconnect(endpoint))
	other := newSocket(t, zctx, zmq.Pull)
	require.NoError(t, other.Bind("tcp://127.0.0.1:*"))
	require.NoError(t, push.Connect(last(t, other)))
	require.NoError(t, errOf(monitor.Next(ctx)))
	require.Eventually(t, func() bool { return pull.Bind(endpoint) == nil }, 30*time.Second, time.Millisecond)
	require.NoError(t, errOf(pull.RecvBytes(ctx)))
	require.NoError(t, errOf(monitor.Next(ctx)))
	require.Equal(t, 1, push.Stats().Connections)
}

// The policies of a full PUB hold over networks: sent messages arrive, and each other message is
// counted or returned as an error.
func TestWhenFullOverTransports(t *testing.T) {
	t.Parallel()
	for _, policy := range []zmq.FullPolicy{zmq.DropCounted, zmq.Fail, zmq.Block} {
		t.Run(policy.String(), func(t *testing.T) {
			t.Parallel()
			publisherTypes(t, func(t *testing.T, typ zmq.SocketType) {
				transports(t, func(t *testing.T, endpoint string) {
					showPolicy(t, typ, policy, endpoint)
				})
			})
		})
	}
}

func showPolicy(t *testing.T, typ zmq.SocketType, policy zmq.FullPolicy, endpoint string) {
	t.Helper()
	pub, sub := pair(t, typ, zmq.Sub, endpoint, zmq.TrackSubscriptions.To(true), zmq.SendHWM.To(3), zmq.RecvHWM.To(3),
		zmq.WhenFull.To(policy), zmq.SendBuffer.To(1<<16), zmq.RecvBuffer.To(1<<16), zmq.Subscribe.To(""))
	require.NoError(t, pub.WaitSubscribers(soon(t), 1))
	const messages = 300 // of 64 KiB: more than the system's buffers hold
	body := payload(1 << 16)
	failed := make(chan int, 1)
	send := func() {
		n := 0
		for range messages {
			if pub.Send(context.Background(), body) != nil {
				n++
			}
		}
		failed <- n
	}
	received := uint64(0)
	take := func() { requireArrived(t, sub, body); received++ }
	if policy == zmq.Block {
		require.NoError(t, pub.Set(zmq.SendTimeout.To(5*time.Millisecond)))
		var err error
		for err == nil {
			err = pub.Send(context.Background(), body)
		}
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.NoError(t, pub.Set(zmq.SendTimeout.To(-1)))
		go send() // waits for a receive
		for pub.Stats().MessagesSent < messages || received < pub.Stats().MessagesSent {
			take()
		}
		require.Zero(t, <-failed)
	} else {
		send()
		n := <-failed
		require.Equal(t, uint64(messages-n)-pub.Stats().Dropped, pub.Stats().MessagesSent)
		require.Equal(t, policy == zmq.Fail, n > 0)
		require.Equal(t, policy == zmq.DropCounted, pub.Stats().Dropped > 0)
	}
	for received < pub.Stats().MessagesSent {
		take()
	}
	requireNoMore(t, sub)
}
