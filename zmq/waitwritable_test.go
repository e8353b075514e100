package zmq_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// WaitWritable blocks while the queue is full, and returns when the peer has made room.
func TestWaitWritableWaitsForRoom(t *testing.T) {
	t.Parallel()
	pull, push := pair(t, zmq.Pull, zmq.Push, inprocName(), zmq.HWM(2))
	require.NoError(t, push.WaitWritable(soon(t)))
	sent := 0
	for ; ; sent++ {
		if err := push.SendString(soon(t), "full", zmq.DontWait); err != nil {
			require.ErrorIs(t, err, zmq.ErrAgain)
			break
		}
	}
	ended := make(chan error)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { ended <- push.WaitWritable(ctx) }()
	awaitParked(t, push, 1)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)

	go func() { ended <- push.WaitWritable(soon(t)) }()
	awaitParked(t, push, 1)
	for range sent {
		_, err := pull.RecvBytes(soon(t))
		require.NoError(t, err)
	}
	require.NoError(t, <-ended)
	require.NoError(t, push.SendString(soon(t), "room", zmq.DontWait))
}

// A wait that cannot end is refused, and one that may not take long ends with ErrAgain.
func TestWaitWritableRefusals(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push, zmq.SendTimeout.To(time.Millisecond))
	require.ErrorIs(t, pull.WaitWritable(soon(t)), zmq.ErrNotSupported)
	require.ErrorIs(t, push.WaitReadable(soon(t)), zmq.ErrNotSupported)
	err := push.WaitWritable(soon(t))
	require.ErrorIs(t, err, zmq.ErrAgain)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, newSocket(t, zctx, zmq.Router).WaitWritable(soon(t)), "libzmq always reports a ROUTER as writable")
	ended := make(chan error)
	waiting := newSocket(t, zctx, zmq.Push)
	go func() { ended <- waiting.WaitWritable(context.Background()) }()
	awaitParked(t, waiting, 1)
	require.NoError(t, waiting.Close())
	require.ErrorIs(t, <-ended, zmq.ErrClosed)
	require.ErrorIs(t, (*zmq.Socket)(nil).WaitWritable(soon(t)), zmq.ErrClosed)
}

// A receive on a REQ or REP makes it writable without a signal from libzmq. Goroutines that
// wait for that are woken at once and not by the watchdog.
func TestWaitWritableAfterReceiveInTurn(t *testing.T) {
	t.Parallel()
	rep, req := pair(t, zmq.Rep, zmq.Req, "tcp://127.0.0.1:*")
	ended := make(chan error)
	waits := func(s *zmq.Socket) {
		t.Helper()
		go func() { ended <- s.WaitWritable(soon(t)) }()
		awaitParked(t, s, 1)
	}
	for range 10 {
		require.NoError(t, req.SendString(soon(t), "question"))
		waits(req)
		require.NoError(t, rep.WaitReadable(soon(t)))
		waits(rep)
		_, err := rep.RecvString(soon(t))
		require.NoError(t, err)
		require.NoError(t, <-ended)
		require.NoError(t, rep.SendString(soon(t), "answer"))
		// The watcher may have taken the signal of the answer already.
		require.NoError(t, req.WaitReadable(soon(t)))
		_, err = req.RecvString(soon(t))
		require.NoError(t, err)
		require.NoError(t, <-ended)
	}
}
