package zmq_test

import (
	"context"
	"syscall"
	"testing"
	"time"

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

// A PUB with Conflate keeps its other options and its monitor.
func TestPubConflates(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pub := newSocket(t, zctx, zmq.Pub, zmq.SendHWM.To(7))
	m := monitor(t, pub, zmq.EventAll)
	require.NoError(t, pub.Set(zmq.Conflate.To(true)))
	require.Equal(t, 7, zmqtest.Get(t, zmq.SendHWM, pub))
	require.ErrorIs(t, pub.WaitSubscribers(soon(t), 1), zmq.ErrNotSupported)
	sub := newSocket(t, zctx, zmq.Sub, zmq.Subscribe.To(""))
	connect(t, pub, sub, "tcp://127.0.0.1:*")
	until(t, m, zmq.EventHandshakeSucceeded)
	require.NoError(t, pub.WaitConnected(soon(t), 1))
	ctx := soon(t)
	for { // until the subscription has arrived, which libzmq does not report here
		require.NoError(t, pub.SendString(context.Background(), "x"))
		short, cancel := context.WithTimeout(ctx, time.Millisecond)
		_, err := sub.RecvString(short)
		cancel()
		if err == nil {
			break
		}
		require.NoError(t, ctx.Err())
	}
	require.NoError(t, pub.Close())
	rest := zmq.EventAll &^ zmq.EventDisconnected
	require.Equal(t, zmq.EventClosed, until(t, m, rest).Event)
	require.Equal(t, zmq.EventMonitorStopped, until(t, m, rest).Event)
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
