package zmq_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/intercept"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

func TestMain(m *testing.M) { testutil.Main(m, intercept.CheckMessages, zmqtest.OpenReleasePipe) }

// The set-up that other packages use as well.
var (
	newContext = zmqtest.NewContext
	newSocket  = zmqtest.NewSocket
	inprocName = zmqtest.InprocName
	pair       = zmqtest.Pair
	connect    = zmqtest.Connect
	last       = zmqtest.LastEndpoint
	within     = zmqtest.Within
	timeout    = zmqtest.Timeout
	recvString = zmqtest.RecvString
	recvBytes  = zmqtest.RecvBytes
	recvParts  = zmqtest.RecvParts
	monitor    = zmqtest.Monitor
	until      = zmqtest.Until
	joined     = zmqtest.RequireJoined
	udpAddress = zmqtest.UDPAddress
	transports = zmqtest.Transports
	networks   = zmqtest.Networks
	scaled     = testutil.Scaled
)

// trackingContext is newContext for tests that wait for subscribers.
func trackingContext(t testing.TB) *zmq.Context {
	t.Helper()
	return newContext(t, zmq.SocketDefaults(zmq.TrackSubscriptions.To(true)))
}

// awaitParked waits until as many goroutines wait for the socket.
func awaitParked(t testing.TB, s *zmq.Socket, goroutines int) {
	t.Helper()
	require.Eventually(t, func() bool { return s.Stats().Waiting == goroutines }, 30*time.Second, time.Millisecond)
}

// async runs f on a goroutine, and its result can be received.
func async(f func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	return done
}

// repeat calls f with 0, 1, ... n-1 until it fails.
func repeat(n int, f func(i int) error) error {
	for i := range n {
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}

// noErr returns the value of a call, and fails the test if there is an error: noErr(f())(t).
func noErr[T any](value T, err error) func(require.TestingT) T {
	return func(t require.TestingT) T {
		require.NoError(t, err)
		return value
	}
}

// errOf returns the error of a call.
func errOf[T any](_ T, err error) error { return err }

// publishedIs publishes a text until it has come: subscriptions take their time.
func publishedIs(t *testing.T, pub, sub *zmq.Socket, text string) {
	t.Helper()
	for ctx := soon(t); ; {
		require.NoError(t, pub.SendString(context.Background(), text))
		short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
		got, err := sub.RecvString(short)
		cancel()
		if err == nil && got == text {
			return
		}
		require.NoError(t, ctx.Err(), "waiting for %q", text)
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
	}
}

// requireFails checks what an error is, and that its text has these words.
func requireFails(t testing.TB, err, is error, words ...string) {
	t.Helper()
	require.ErrorIs(t, err, is)
	for _, word := range words {
		require.ErrorContains(t, err, word)
	}
}

// residentBytes returns how much memory the process occupies.
func resident(t testing.TB) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("only Linux says how much memory the process occupies: ", err)
	}
	var total, resident int64
	require.NoError(t, errOf(fmt.Fscan(strings.NewReader(string(text)), &total, &resident)))
	return resident * int64(os.Getpagesize())
}

// cancelled returns a context that has ended.
func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
