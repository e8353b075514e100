package core

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// While a large batch is being dropped, others get at the socket: they see how the
// count grows.
func TestDropsOfABatchGiveWay(t *testing.T) {
	t.Parallel()
	const messages = libzmq.MaxBatch
	c := newContext(t)
	pub, sub := newTestSocket(t, c, libzmq.Pub, 1), newTestSocket(t, c, libzmq.Sub, 1)
	require.NoError(t, sub.SetOption(optSubscribe, nil))
	require.NoError(t, pub.Bind("inproc://drops-of-a-batch"))
	require.NoError(t, sub.Connect("inproc://drops-of-a-batch"))
	require.NoError(t, pub.SetWhenFull(FullCounted))
	var b Batch
	b.Init(messages)
	defer b.Close()
	// One success is enough. The looking goroutine may be descheduled while all messages are
	// dropped.
	for started, seen := time.Now(), false; !seen; {
		require.Less(t, time.Since(started), time.Minute, "nobody gets at the socket")
		for range messages {
			require.NoError(t, b.Append([][]byte{{1}}))
		}
		before := pub.Stats().Dropped
		sent := make(chan error, 1)
		go func() {
			var err error
			for b.Len() > 0 && err == nil {
				_, err = pub.SendBatch(context.Background(), &b, false)
			}
			sent <- err
		}()
		between := map[uint64]bool{}
		for looking := true; looking; {
			select {
			case err := <-sent:
				require.NoError(t, err)
				looking = false
			default:
				between[pub.Stats().Dropped] = true
				runtime.Gosched()
			}
		}
		total := pub.Stats().Dropped
		require.Greater(t, total-before, uint64(messages-10), "the subscriber has room for a few")
		delete(between, before)
		delete(between, total)
		seen = len(between) > 0
	}
}

// A socket that is closed while it drops stops.
func TestCloseWhileDropping(t *testing.T) {
	t.Parallel()
	c := newContext(t)
	pub, sub := newTestSocket(t, c, libzmq.Pub, 1), newTestSocket(t, c, libzmq.Sub, 1)
	require.NoError(t, sub.SetOption(optSubscribe, nil))
	require.NoError(t, pub.Bind("inproc://closed-while-dropping"))
	require.NoError(t, sub.Connect("inproc://closed-while-dropping"))
	require.NoError(t, pub.SetWhenFull(FullCounted))
	dropping, ended := make(chan struct{}), make(chan error, 1)
	var b Batch
	b.Init(libzmq.MaxBatch)
	defer b.Close()
	go func() {
		var err error
		for first := true; err == nil; first = false {
			for err == nil && b.Len() < libzmq.MaxBatch {
				err = b.Append([][]byte{{1}})
			}
			if first {
				close(dropping)
			}
			if err == nil {
				_, err = pub.SendBatch(context.Background(), &b, false)
			}
		}
		ended <- err
	}()
	<-dropping
	for pub.Stats().Dropped == 0 {
		runtime.Gosched()
	}
	require.NoError(t, pub.Close())
	require.ErrorIs(t, <-ended, ErrClosed)
}
