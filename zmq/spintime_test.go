package zmq_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// SpinTime says whether a receive that finds nothing tries for a while before it parks.
func TestSpinTime(t *testing.T) {
	t.Parallel()
	push, pull := pair(t, zmq.Push, zmq.Pull, "tcp://127.0.0.1:*")
	spin, err := zmq.SpinTime.Get(pull)
	require.NoError(t, err)
	require.Equal(t, time.Duration(-1), spin)

	// One that spins does not park: the message arrives in the meantime.
	require.NoError(t, pull.Set(zmq.SpinTime.To(time.Second)))
	spin, err = zmq.SpinTime.Get(pull)
	require.NoError(t, err)
	require.Equal(t, time.Second, spin)
	waits := pull.Stats().RecvWaits
	go func() {
		_ = push.Send(context.Background(), []byte("x"))
	}()
	_, err = pull.RecvBytes(soon(t))
	require.NoError(t, err)
	require.Equal(t, waits, pull.Stats().RecvWaits)

	// The end of its context ends the spinning, and so does its time limit.
	ctx, cancel := context.WithCancel(context.Background())
	go cancel()
	_, err = pull.RecvBytes(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, pull.Set(zmq.RecvTimeout.To(time.Millisecond)))
	_, err = pull.RecvBytes(context.Background())
	require.ErrorIs(t, err, zmq.ErrAgain)
	require.NoError(t, pull.Set(zmq.RecvTimeout.To(-1)))

	// With 0 it parks at once.
	require.NoError(t, pull.Set(zmq.SpinTime.To(0)))
	waits = pull.Stats().RecvWaits
	received := make(chan error, 1)
	go func() {
		_, err := pull.RecvBytes(context.Background())
		received <- err
	}()
	awaitParked(t, pull, 1)
	require.Equal(t, waits+1, pull.Stats().RecvWaits)
	require.NoError(t, push.Send(soon(t), []byte("x")))
	require.NoError(t, <-received)

	require.NoError(t, pull.Set(zmq.SpinTime.To(-time.Hour)))
	spin, err = zmq.SpinTime.Get(pull)
	require.NoError(t, err)
	require.Equal(t, time.Duration(-1), spin)
	require.ErrorContains(t, pull.Set(zmq.SpinTime.To(2*time.Second)), "out of range")
}

// Closing the socket ends a receive that spins.
func TestSpinTimeClose(t *testing.T) {
	t.Parallel()
	s := newSocket(t, newContext(t), zmq.Pull, zmq.SpinTime.To(time.Second))
	received := make(chan error, 1)
	go func() {
		_, err := s.RecvBytes(context.Background())
		received <- err
	}()
	require.NoError(t, s.Close())
	require.ErrorIs(t, <-received, zmq.ErrClosed)
}
