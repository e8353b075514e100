package zmq_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// What one side has sent is what the other has received, over every transport.
func TestStatsOverTransports(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		pull, push := pair(t, zmq.Pull, zmq.Push, endpoint)
		const messages = 500
		size := 0
		for i := range messages {
			body := payload(i * 7)
			size += len("topic") + len(body)
			require.NoError(t, push.SendMultipart(context.Background(), [][]byte{[]byte("topic"), body}))
		}
		for range messages {
			_, err := pull.RecvMultipart(soon(t))
			require.NoError(t, err)
		}
		sent, received := push.Stats(), pull.Stats()
		require.Equal(t, []uint64{messages, 2 * messages, uint64(size)}, []uint64{sent.MessagesSent, sent.PartsSent, sent.BytesSent})
		require.Equal(t, []uint64{messages, 2 * messages, uint64(size)}, []uint64{received.MessagesReceived, received.PartsReceived, received.BytesReceived})
		require.Zero(t, sent.MessagesReceived+received.MessagesSent+sent.Reconnects)
		require.Equal(t, 1, sent.Connections)
		require.Equal(t, 1, received.Connections)
	})
}

// The policies of a full PUB hold over a network, too: what was sent arrives, what did
// not is counted or was an error.
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
	zctx := trackingContext(t)
	pub := newSocket(t, zctx, typ, zmq.SendHWM.To(3), zmq.WhenFull.To(policy), zmq.SendBuffer.To(1<<16))
	sub := newSocket(t, zctx, zmq.Sub, zmq.RecvHWM.To(3), zmq.RecvBuffer.To(1<<16))
	require.NoError(t, sub.Subscribe(""))
	connect(t, pub, sub, endpoint)
	require.NoError(t, pub.WaitSubscribers(soon(t), 1))
	const messages = 300 // of 64 KiB: more than the system's buffers hold
	body := payload(1 << 16)
	done := make(chan int, 1)
	send := func() {
		failed := 0
		for range messages {
			if err := pub.Send(context.Background(), body); err != nil {
				failed++
			}
		}
		done <- failed
	}
	if policy == zmq.Block {
		require.NoError(t, pub.Set(zmq.SendTimeout.To(5*time.Millisecond)))
		var err error
		for err == nil {
			err = pub.Send(context.Background(), body)
		}
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.NoError(t, pub.Set(zmq.SendTimeout.To(-1)))
		go send() // it waits until somebody receives
	} else {
		send()
	}
	received := uint64(0)
	take := func() {
		got, err := sub.RecvBytes(soon(t))
		require.NoError(t, err)
		require.Equal(t, body, got)
		received++
	}
	if policy == zmq.Block {
		for pub.Stats().MessagesSent < messages || received < pub.Stats().MessagesSent {
			take()
		}
		require.Zero(t, <-done)
	} else {
		failed := <-done
		require.Equal(t, uint64(messages-failed)-pub.Stats().Dropped, pub.Stats().MessagesSent)
		require.Equal(t, policy == zmq.Fail, failed > 0)
		require.Equal(t, policy == zmq.DropCounted, pub.Stats().Dropped > 0)
	}
	for received < pub.Stats().MessagesSent {
		take()
	}
	_, err := sub.RecvBytes(context.Background(), zmq.DontWait)
	require.ErrorIs(t, err, zmq.ErrAgain)
}
