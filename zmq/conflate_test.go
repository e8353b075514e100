package zmq_test

import (
	"context"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// Conflate replaces subscriptions too: of several topics, the publisher would get the last.
// A SUB with Conflate therefore has one topic, which it may exchange for another.
func TestConflateTakesOneTopic(t *testing.T) {
	t.Parallel()
	refused := func(err error) {
		t.Helper()
		requireFails(t, err, syscall.EINVAL, "Conflate")
	}
	for _, endpoint := range zmqtest.ConflateEndpoints() {
		zctx := trackingContext(t)
		sub := newSocket(t, zctx, zmq.Sub, zmq.Subscribe.To("a"), zmq.Subscribe.To("b"))
		refused(sub.Set(zmq.Conflate.To(true)))
		require.NoError(t, sub.Unsubscribe("a"))
		require.NoError(t, sub.Set(zmq.Conflate.To(true)))
		require.NoError(t, sub.Subscribe("b"), "a second time")
		refused(sub.Subscribe("a"))
		refused(sub.Set(zmq.Subscribe.To("a")))
		require.NoError(t, sub.Unsubscribe("b"))
		refused(sub.Subscribe("a"))
		require.NoError(t, sub.Unsubscribe("b"))
		require.NoError(t, sub.Subscribe("c"))

		pub := newSocket(t, zctx, zmq.Pub, zmq.TrackSubscriptions.To(true))
		connect(t, pub, sub, endpoint)
		require.NoError(t, pub.WaitSubscribers(soon(t), 1))
		require.NoError(t, pub.SendString(context.Background(), "c"))
		require.Equal(t, "c", recvString(t, sub))
		require.NoError(t, sub.Unsubscribe("c"))
		require.NoError(t, sub.Subscribe("d"))
		publishedIs(t, pub, sub, "d")
	}
}

// Conflate leaves the descriptor of a PUB that was read open. It is refused with
// TrackSubscriptions.
func TestConflateKeepsDescriptor(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pub := newSocket(t, zctx, zmq.Pub)
	fd := zmqtest.Get(t, zmq.FD, pub)
	require.NoError(t, pub.Set(zmq.Conflate.To(true)))
	require.Equal(t, fd, zmqtest.Get(t, zmq.FD, pub))
	require.NoError(t, testutil.Open(fd), "the descriptor is open")

	tracking := newSocket(t, zctx, zmq.Pub, zmq.TrackSubscriptions.To(true))
	requireFails(t, tracking.Set(zmq.Conflate.To(true)), syscall.EINVAL, "TrackSubscriptions")
}
