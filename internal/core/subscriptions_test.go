package core

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// An option that changes which subscriptions libzmq reports ends the tracking, unless
// libzmq refuses it.
func TestOptionsEndTracking(t *testing.T) {
	t.Parallel()
	c := newContext(t)
	for _, number := range []int{libzmq.OptXPubManual, libzmq.OptXPubVerbose, libzmq.OptXPubVerboser} {
		s := newTestSocket(t, c, libzmq.XPub, 0)
		require.ErrorIs(t, s.SetOption(number, rules.Int(-1)), syscall.EINVAL)
		require.True(t, s.TracksSubscriptions())
		setInt(t, s, number, 1)
		require.False(t, s.TracksSubscriptions())
	}
	pub, err := c.NewSocket(libzmq.Pub, true)
	require.NoError(t, err)
	require.NoError(t, pub.SetOption(libzmq.OptXPubVerboser, rules.Int(1)))
	require.True(t, pub.TracksSubscriptions())
}

// Subscriptions that end again do not change the count, and no edge announces those behind
// them. A waiter for subscriptions counts on, without the watchdog.
func TestManySubscriptionsThatEnd(t *testing.T) {
	t.Parallel()
	for name, socketType := range map[string]int{"pub": libzmq.Pub, "xpub": libzmq.XPub} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newContext(t)
			c.watchdog.Start(func() (uint64, bool) { return 0, false }) // never looks at a socket
			pub, err := c.NewSocket(socketType, true)
			require.NoError(t, err)
			require.NoError(t, pub.Bind("inproc://pub"))
			sub := newTestSocket(t, c, libzmq.Sub, 0)
			require.NoError(t, sub.Connect("inproc://pub"))
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			done := make(chan error, 1)
			go func() { done <- pub.WaitSubscriptions(ctx, 1) }()
			require.Eventually(t, func() bool { return pub.Stats().Waiting > 0 }, patience, time.Millisecond)
			pub.lock.Lock() // so that all have arrived
			for range 50_000 {
				require.NoError(t, sub.SetOption(optSubscribe, []byte("topic")))
				require.NoError(t, sub.SetOption(optUnsubscribe, []byte("topic")))
			}
			require.NoError(t, sub.SetOption(optSubscribe, []byte("topic")))
			pub.lock.Unlock()
			require.NoError(t, <-done)
		})
	}
}
