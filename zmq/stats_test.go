package zmq_test

import (
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
