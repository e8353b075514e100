package zmqtest_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zmqtest"
)

// These tests look at the whole process, so they are not parallel.

func TestNewContextPassesCleanTest(t *testing.T) {
	require.Empty(t, record(t, func(t testing.TB) {
		zctx := zmqtest.NewContext(t, zmq.IOThreads.To(2))
		n, err := zmq.IOThreads.Get(zctx)
		require.NoError(t, err)
		require.Equal(t, 2, n)
		a, b := zmqtest.NewSocket(t, zctx, zmq.Push), zmqtest.NewSocket(t, zctx, zmq.Pull)
		zmqtest.Connect(t, a, b, "tcp://127.0.0.1:*")
		zmqtest.RequireWorks(t, a, b)
		s, err := zctx.NewSocket(zmq.Pair)
		require.NoError(t, err)
		require.NoError(t, s.Close())
	}))
}

func TestNewContextReportsLeakedSocket(t *testing.T) {
	ended := make(chan error, 1)
	report := record(t, func(t testing.TB) {
		zctx := zmqtest.NewContext(t)
		s, err := zctx.NewSocket(zmq.Pull)
		require.NoError(t, err)
		require.NoError(t, s.Bind(zmqtest.InprocName()))
		go func() {
			_, err := s.RecvBytes(context.Background())
			ended <- err
		}()
		for s.Stats().Waiting == 0 {
			require.NoError(t, t.Context().Err())
		}
	})
	require.Contains(t, report, "leaked socket: PULL inproc://zmqtest-")
	require.Contains(t, report, "1 goroutines are blocked on it")
	require.ErrorIs(t, <-ended, zmq.ErrClosed, "the context was closed nevertheless")
}

func TestNewContextReportsLeakedDescriptors(t *testing.T) {
	defer zmqtest.Settle(time.Second)()
	var leaked *poller.Poller
	report := record(t, func(t testing.TB) {
		zctx := zmqtest.NewContext(t)
		var err error
		leaked, err = poller.New()
		require.NoError(t, err)
		require.NoError(t, leaked.Add(zmqtest.NewSocket(t, zctx, zmq.Pull), poller.In))
	})
	if runtime.GOOS == "linux" {
		require.Contains(t, report, "leaked descriptors")
	}
	require.NoError(t, leaked.Close())
}

func TestNewContextReportsLeakedGoroutine(t *testing.T) {
	defer zmqtest.Settle(time.Second)()
	var leaked *poller.Poller
	ended := make(chan error)
	report := record(t, func(t testing.TB) {
		zmqtest.NewContext(t)
		var err error
		leaked, err = poller.New()
		require.NoError(t, err)
		go func() {
			_, err := leaked.Wait(context.Background())
			ended <- err
		}()
	})
	require.Contains(t, report, "leaked goroutine in go-zmq")
	require.NoError(t, leaked.Close())
	require.Error(t, <-ended)
}

// A context of somebody else's is not the test's fault: it may belong to a parallel test.
func TestNewContextIgnoresOtherContexts(t *testing.T) {
	var other *zmq.Context
	require.Empty(t, record(t, func(t testing.TB) {
		zmqtest.NewContext(t)
		var err error
		other, err = zmq.NewContext()
		require.NoError(t, err)
		_, err = other.NewSocket(zmq.Pull)
		require.NoError(t, err)
	}))
	require.NoError(t, other.Close())
}

func TestNewContextRefusesBadSetting(t *testing.T) {
	report := record(t, func(t testing.TB) { zmqtest.NewContext(t, zmq.IOThreads.To(-1)) })
	require.Contains(t, report, "IO_THREADS")
	require.Empty(t, record(t, func(t testing.TB) { zmqtest.NewContext(t) }), "it counts no context that was not created")
}
