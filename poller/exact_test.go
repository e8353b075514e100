package poller_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

var timeouts = []time.Duration{
	1, time.Microsecond, 499 * time.Microsecond, 500 * time.Microsecond, 999_999, time.Millisecond, 1_000_001,
	1500 * time.Microsecond, 20 * time.Millisecond, 101 * time.Millisecond,
}

// An idle socket, and a pipe that stays empty where there are pipes.
func idlePoller(t *testing.T) *poller.Poller {
	p := newPoller(t)
	s := newSocket(t, newContext(t), zmq.Pull)
	require.NoError(t, s.Bind(inprocName()))
	require.NoError(t, p.Add(s, poller.In))
	return p
}

// requireExact requires that a Poll, and a Wait with a deadline, return without events at
// the deadline, not before and not much later.
func requireExact(t *testing.T, p *poller.Poller, timeout time.Duration) {
	t.Helper()
	start := time.Now()
	events, err := p.Poll(timeout)
	took := time.Since(start)
	require.NoError(t, err)
	require.Empty(t, events)
	require.GreaterOrEqual(t, took, timeout)
	require.Less(t, took, timeout+soon)

	start = time.Now()
	ctx, cancel := timeoutContext(timeout)
	events, err = p.Wait(ctx)
	took = time.Since(start)
	cancel()
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Empty(t, events)
	require.GreaterOrEqual(t, took, timeout)
	require.Less(t, took, timeout+soon)
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*poller.Poller{"a socket": idlePoller(t), "nothing": newPoller(t)} {
		for _, timeout := range timeouts {
			for range 3 {
				requireExact(t, p, timeout)
			}
		}
		start := time.Now()
		for range 1000 {
			require.Empty(t, poll(t, p, 0), name)
		}
		require.Less(t, time.Since(start), soon, "Poll(0) waits")
	}
}

// A timeout below a millisecond neither becomes 0 nor waits for long. (Go's runtime wakes
// an idle process in steps of a millisecond.)
func TestShortTimeouts(t *testing.T) {
	t.Parallel()
	p := idlePoller(t)
	least := time.Duration(math.MaxInt64)
	for range 200 {
		start := time.Now()
		require.Empty(t, poll(t, p, 200*time.Microsecond))
		took := time.Since(start)
		require.GreaterOrEqual(t, took, 200*time.Microsecond)
		least = min(least, took)
	}
	require.Less(t, least, 20*time.Millisecond, "the fastest of 200")
}

// A wait without a limit returns when something happens.
func TestLongWaits(t *testing.T) {
	t.Parallel()
	for _, timeout := range []time.Duration{-1, math.MinInt64, -time.Hour, math.MaxInt64, math.MaxInt64 - 1, 1 << 62, time.Hour} {
		t.Run(fmt.Sprint(int64(timeout)), func(t *testing.T) {
			t.Parallel()
			pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
			p := newPoller(t)
			require.NoError(t, p.Add(pull, poller.In))
			done := waiting(t, p, func() ([]poller.Event, error) { return p.Poll(timeout) })
			select {
			case r := <-done:
				require.FailNow(t, "it did not wait", "%+v", r)
			case <-time.After(20 * time.Millisecond):
			}
			require.NoError(t, push.SendString(context.Background(), "x"))
			r := await(t, done, "the message")
			require.NoError(t, r.err)
			require.Equal(t, poller.In, of(t, r.events, pull))
		})
	}
}

// A message that has arrived at the deadline is returned.
func TestReadyAtTheDeadline(t *testing.T) {
	t.Parallel()
	pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
	p := newPoller(t)
	require.NoError(t, p.Add(pull, poller.In))
	for range 2000 {
		done := make(chan error, 1)
		go func() { done <- push.SendString(context.Background(), "x") }()
		events := poll(t, p, 1)
		require.NoError(t, await(t, done, "send"))
		if len(events) == 0 { // by the next look then
			events = poll(t, p, 0)
		}
		require.Equal(t, poller.In, of(t, events, pull))
		here(t, recv(pull))
	}
}

// The runtime interrupts threads with SIGURG. The wait ends at its deadline, however many
// arrive.
func TestSignalsKeepPollDeadlines(t *testing.T) {
	p := idlePoller(t)
	defer testutil.Interrupt(t, 50*time.Microsecond)()
	pull, push := connected(t, zmq.Pull, zmq.Push, tcp)
	require.NoError(t, p.Add(pull, poller.In))
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		requireExact(t, p, 500*time.Microsecond)
		requireExact(t, p, 50*time.Millisecond)
		require.NoError(t, push.SendString(context.Background(), "x"))
		require.Equal(t, poller.In, of(t, poll(t, p, -1), pull))
		here(t, recv(pull))
	}
}

// After an error the next call works: no message is lost, and none is needed.
func TestCancellationLosesNothing(t *testing.T) {
	t.Parallel()
	pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
	p := newPoller(t)
	require.NoError(t, p.Add(pull, poller.In))
	for range 2000 {
		ctx, cancel := context.WithCancel(context.Background())
		var group sync.WaitGroup
		group.Go(cancel)
		group.Go(func() { _ = push.SendString(context.Background(), "x") })
		events, err := p.Wait(ctx)
		group.Wait()
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			require.Empty(t, events)
			events = poll(t, p, 0)
		}
		require.Equal(t, poller.In, of(t, events, pull))
		here(t, recv(pull))
		requireNow(t, p, pull, 0, "received")
	}
}
