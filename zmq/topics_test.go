package zmq_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// How many topics a publisher has subscribers for, and a subscriber asks for; a libzmq
// before 4.3.5 does not say.
func TestTopicsCount(t *testing.T) {
	t.Parallel()
	pub, sub := pair(t, zmq.XPub, zmq.Sub, tcp, zmq.TrackSubscriptions.To(true))
	if major, minor, patch := zmq.Version(); major == 4 && minor == 3 && patch < 5 {
		requireFails(t, errOf(zmq.TopicsCount.Get(pub)), zmq.ErrNotSupported, "4.3.5")
		return
	}
	counts := func() [2]int {
		return [2]int{zmqtest.Get(t, zmq.TopicsCount, pub), zmqtest.Get(t, zmq.TopicsCount, sub)}
	}
	require.Equal(t, [2]int{0, 0}, counts())
	for _, topic := range []string{"a", "b", "b", ""} {
		require.NoError(t, sub.Subscribe(topic))
	}
	require.NoError(t, pub.WaitSubscribers(soon(t), 3))
	require.Equal(t, [2]int{3, 3}, counts())
	require.NoError(t, sub.Unsubscribe("a"))
	for range 5 { // four that came, two of them for one topic, and one that went
		recvBytes(t, pub)
	}
	require.Equal(t, [2]int{2, 2}, counts())
}

// manyTopics is the number of topics that a test subscribes to. It exceeds the sum of both default
// queue limits, which are 1000 each.
func manyTopics() int {
	if testing.Short() {
		return 10_000
	}
	return 100_000
}

func topic(i int) string { return fmt.Sprintf("topic %06d.", i) }

// subscribe subscribes to a topic: an XSUB does so with a message.
func subscribe(t *testing.T, s *zmq.Socket, topic string) {
	t.Helper()
	if s.Type() == zmq.XSub {
		require.NoError(t, s.SendString(context.Background(), "\x01"+topic))
		return
	}
	require.NoError(t, s.Subscribe(topic))
}

// requireTopics waits until the publisher has every topic, publishes on some of them, spread
// over all, and receives what was published.
func requireTopics(t *testing.T, pub, sub *zmq.Socket, topics int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // under -race, on a busy machine
	defer cancel()
	require.NoError(t, pub.WaitSubscribers(ctx, topics))
	const samples = 100
	for i := 0; i < topics; i += topics / samples {
		require.NoError(t, pub.SendString(context.Background(), topic(i)))
		require.Equal(t, topic(i), noErr(sub.RecvString(ctx))(t))
	}
}

// requireManyArrive subscribes before or after Connect.
func requireManyArrive(t *testing.T, pub, sub *zmq.Socket, endpoint string, before bool, topics int) {
	t.Helper()
	if !before {
		connect(t, pub, sub, endpoint)
	}
	for i := range topics {
		subscribe(t, sub, topic(i))
	}
	if before {
		connect(t, pub, sub, endpoint)
	}
	requireTopics(t, pub, sub, topics)
}

// Every subscription arrives, whether it is made before or after Connect.
func TestManyTopicsArrive(t *testing.T) {
	t.Parallel()
	for _, types := range [][2]zmq.SocketType{{zmq.Pub, zmq.Sub}, {zmq.XPub, zmq.XSub}} {
		for _, before := range []bool{true, false} {
			for _, endpoint := range []string{inprocName(), tcp} {
				t.Run(fmt.Sprintf("%s %s before Connect %t", types[1], endpoint[:3], before), func(t *testing.T) {
					t.Parallel()
					zctx := trackingContext(t)
					pub, sub := newSocket(t, zctx, types[0]), newSocket(t, zctx, types[1])
					requireManyArrive(t, pub, sub, endpoint, before, manyTopics())
				})
			}
		}
	}
}

// What a SUB sends are subscriptions, and libzmq drops those for which a queue has no room.
func TestSubscribersHaveNoSendHWM(t *testing.T) {
	t.Parallel()
	zctx := trackingContext(t)
	require.NoError(t, zctx.Set(zmq.SocketDefaults(zmq.SendHWM.To(7), zmq.OptionByNumber[int](23).To(8))))
	requireHWM := func(s *zmq.Socket, send, receive int) {
		t.Helper()
		got := zmqtest.Get(t, zmq.SendHWM, s)
		require.Equal(t, send, got)
		got = zmqtest.Get(t, zmq.OptionByNumber[int](23), s)
		require.Equal(t, send, got)
		got = zmqtest.Get(t, zmq.RecvHWM, s)
		require.Equal(t, receive, got)
		require.Equal(t, send, s.Options()["SNDHWM"])
	}
	requireHWM(newSocket(t, zctx, zmq.Push), 8, 1000)
	sub := newSocket(t, zctx, zmq.Sub)
	requireHWM(sub, 0, 1000)
	for _, setting := range []zmq.Setting{zmq.SendHWM.To(1), zmq.OptionByNumber[int](23).To(1000)} {
		err := sub.Set(setting)
		require.ErrorContains(t, err, "SNDHWM")
		require.ErrorContains(t, err, "subscriptions")
		require.ErrorIs(t, err, syscall.EINVAL)
		require.Error(t, errOf(zctx.NewSocket(zmq.Sub, setting)))
	}
	require.NoError(t, sub.Set(zmq.SendHWM.To(0)))
	require.NoError(t, sub.Set(zmq.HWM(5)))
	requireHWM(sub, 0, 5)
	require.Error(t, sub.Set(zmq.HWM(-1)))
	require.NoError(t, sub.Connect(inprocName()))
	require.Error(t, sub.Set(zmq.HWM(5)), "it may not change any more")
	require.NoError(t, zctx.Set(zmq.SocketDefaults(zmq.HWM(6))))
	requireHWM(newSocket(t, zctx, zmq.Sub), 0, 6)

	require.NoError(t, zctx.Set(zmq.SocketDefaults()))
	requireHWM(newSocket(t, zctx, zmq.XSub), 0, 1000)
	requireHWM(newSocket(t, zctx, zmq.XSub, zmq.SendHWM.To(3)), 3, 1000)
	requireHWM(newSocket(t, zctx, zmq.XSub, zmq.HWM(4)), 4, 4)
	if zmq.Has("draft") {
		dish := newSocket(t, zctx, zmq.Dish)
		requireHWM(dish, 0, 1000)
		require.ErrorContains(t, dish.Set(zmq.SendHWM.To(1)), "SNDHWM")
		require.NoError(t, dish.Set(zmq.HWM(9)))
		requireHWM(dish, 0, 9)
	}
}

// flood has two XSUBs, in contexts of their own, send messages to a socket as fast as
// they can until the test ends.
func flood(t *testing.T, s *zmq.Socket, messages ...string) {
	t.Helper()
	require.NoError(t, s.Bind(tcp))
	ctx, cancel := context.WithCancel(context.Background())
	for range 2 {
		x := newSocket(t, newContext(t), zmq.XSub, zmq.Linger.To(0), zmq.SendHWM.To(1000))
		require.NoError(t, x.Connect(last(t, s)))
		ended := async(func() error {
			return repeat(math.MaxInt, func(i int) error { return x.SendString(ctx, messages[i%len(messages)]) })
		})
		t.Cleanup(func() { require.ErrorIs(t, <-ended, context.Canceled) })
	}
	t.Cleanup(cancel) // first
}

// Peers that send subscriptions without an end stop neither a PUB's sends, nor who
// waits for subscribers, nor Close.
func TestFloodedPub(t *testing.T) {
	pub := newSocket(t, trackingContext(t), zmq.Pub)
	flood(t, pub, "\x01a", "\x00a", "something else")
	begin := time.Now()
	require.NoError(t, repeat(2000, func(int) error { return pub.SendString(context.Background(), "b") }))
	require.ErrorIs(t, pub.WaitSubscribers(timeout(t, 200*time.Millisecond), 1<<30), context.DeadlineExceeded)
	_ = pub.Stats()
	require.NoError(t, pub.Close())
	require.Less(t, time.Since(begin), 2*time.Minute, "without the flood it takes milliseconds, and half a minute under qemu")
}

// Subscribers that repeat what they subscribed to without a pause, of which an XPUB's user
// is not told, hold up no receive longer than the caller wants to wait.
func TestReceiveWhileSubscriptionsKeepComing(t *testing.T) {
	t.Parallel()
	xpub := newSocket(t, newContext(t), zmq.XPub)
	flood(t, xpub, "\x01a")
	require.Equal(t, "\x01a", recvString(t, xpub))
	ended := async(func() error {
		return repeat(4, func(int) error {
			if err := errOf(xpub.RecvBytes(context.Background(), zmq.DontWait)); !errors.Is(err, zmq.ErrAgain) {
				return errors.Join(err, errors.New("DontWait"))
			}
			if err := errOf(xpub.RecvBytes(timeout(t, time.Millisecond))); !errors.Is(err, context.DeadlineExceeded) {
				return errors.Join(err, errors.New("context"))
			}
			return nil
		})
	})
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(30 * time.Second):
		require.Fail(t, "a receive lasts as long as the subscriptions come")
	}
	// Messages for the user still arrive.
	late := newSocket(t, newContext(t), zmq.Sub, zmq.Subscribe.To("b"))
	require.NoError(t, late.Connect(last(t, xpub)))
	require.Equal(t, "\x01b", recvString(t, xpub))
}
