package poller_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// Closed Pollers leave nothing behind, whether they waited or not. TestMain finds leaks
// after all tests.
func TestManyPollers(t *testing.T) {
	t.Parallel()
	s := newSocket(t, newContext(t), zmq.Pull)
	for i := range 1000 {
		p, err := poller.New()
		require.NoError(t, err)
		if i%2 == 0 {
			require.NoError(t, p.Add(s, in))
		}
		if i%4 < 2 {
			require.Empty(t, poll(t, p, time.Microsecond))
		}
		require.NoError(t, p.Close())
		if i%8 == 0 {
			require.NoError(t, p.Close())
		}
	}
	// The socket keeps no reference to them.
	p := newPoller(t)
	require.NoError(t, p.Add(s, in))
	requireNow(t, p, s, 0, "nothing was sent")
}

func TestManyReactors(t *testing.T) {
	t.Parallel()
	for range 200 {
		r, err := poller.NewReactor()
		require.NoError(t, err)
		_, err = r.Every(time.Hour, nothing)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		_, err = r.After(0, func() error { cancel(); return nil })
		require.NoError(t, err)
		require.ErrorIs(t, r.Run(ctx), context.Canceled)
		require.NoError(t, r.Close())
	}
}

// A waiting Poller is closed, repeatedly.
func TestCloseEndsGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	var group sync.WaitGroup
	for range 200 {
		p, err := poller.New()
		require.NoError(t, err)
		group.Go(func() {
			if _, err := p.Poll(-1); err == nil {
				t.Error("no error")
			}
		})
		group.Go(func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for end := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "%d goroutines, %d before", runtime.NumGoroutine(), before)
	}
}
