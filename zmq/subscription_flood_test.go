package zmq_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// flood has two XSUBs, in contexts of their own, send a message to a socket as fast as
// they can until the test ends.
func flood(t *testing.T, s *zmq.Socket, messages ...string) {
	t.Helper()
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	endpoint, err := s.LastEndpoint()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 2)
	for range cap(ended) {
		x := newSocket(t, newContext(t), zmq.XSub, zmq.Linger.To(0), zmq.SendHWM.To(1000))
		require.NoError(t, x.Connect(endpoint))
		go func() {
			for i := 0; ; i++ {
				if err := x.Send(ctx, []byte(messages[i%len(messages)])); err != nil {
					ended <- err
					return
				}
			}
		}()
	}
	t.Cleanup(func() {
		cancel()
		for range cap(ended) {
			require.ErrorIs(t, <-ended, context.Canceled)
		}
	})
}

// Peers that send subscriptions without an end stop neither a PUB's sends, nor who
// waits for subscribers, nor Close.
func TestFloodedPub(t *testing.T) {
	pub := newSocket(t, trackingContext(t), zmq.Pub)
	flood(t, pub, "\x01a", "\x00a", "something else")
	const bound = 2 * time.Minute // of all; without the flood they take milliseconds, and half a minute under qemu
	begin := time.Now()
	for range 2000 {
		require.NoError(t, pub.SendString(context.Background(), "b"))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, pub.WaitSubscribers(ctx, 1<<30), context.DeadlineExceeded)
	_ = pub.Stats()
	require.NoError(t, pub.Close())
	require.Less(t, time.Since(begin), bound)
}

// What a receive from an XPUB costs does not grow with what waits there.
func TestFloodedXPub(t *testing.T) {
	x := newSocket(t, trackingContext(t), zmq.XPub)
	flood(t, x, "upstream")
	var m zmq.Message
	begin := time.Now()
	for range 50_000 {
		require.NoError(t, x.RecvMessage(context.Background(), &m))
	}
	require.NoError(t, m.Close())
	require.Less(t, time.Since(begin), 2*time.Minute)
}
