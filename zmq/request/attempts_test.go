package request_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

// Request accepts the reply to any of its attempts, and drops the other ones.
func TestReplyToEarlierAttempt(t *testing.T) {
	t.Parallel()
	router, client := routed(t, request.Config{Attempts: -1, Timeout: 20 * time.Millisecond})
	go func() {
		first, err1 := router.RecvMultipart(context.Background())
		second, err2 := router.RecvMultipart(context.Background())
		err3 := router.SendMultipart(context.Background(), first)
		err4 := router.SendMultipart(context.Background(), second)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			t.Error(err)
		}
	}()
	reply, err := client.Request(t.Context(), []byte("echo"), nil)
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("echo"), {}}, reply)
	require.Eventually(t, func() bool { return client.Stats().Late == 1 }, 10*time.Second, time.Millisecond)
	require.NotZero(t, client.Stats().Retries)
}

// The reply to an earlier attempt ends a Request that waits for room to send the next one.
func TestReplyWhileQueueIsFull(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	router := newSocket(t, zctx, zmq.Router, zmq.RecvHWM.To(1))
	client := dial(t, zctx, bind(t, router, "inproc://full-queue"), request.Config{Attempts: -1, Timeout: 5 * time.Millisecond}, zmq.SendHWM.To(1))
	go func() {
		first, err := router.RecvMultipart(context.Background())
		for client.Stats().Retries < 10 { // by then the queue, which has room for two, is full
			time.Sleep(time.Millisecond)
		}
		if err = errors.Join(err, router.SendMultipart(context.Background(), first)); err != nil {
			t.Error(err)
		}
	}()
	ctx := within(t, 10*time.Second)
	reply, err := client.Request(ctx, []byte("echo"))
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("echo")}, reply)
	require.NoError(t, ctx.Err(), "the reply came long before")
}

func TestAttemptsRunOut(t *testing.T) {
	t.Parallel()
	router, client := routed(t, request.Config{Attempts: 3, Timeout: 2 * time.Millisecond})
	_, err := client.Request(t.Context(), []byte("hello"))
	require.ErrorIs(t, err, zmq.ErrAgain)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.ErrorContains(t, err, "3 attempts of 2ms")
	require.IsType(t, &zmq.Error{}, err)
	require.True(t, err.(*zmq.Error).Timeout())
	for range 3 {
		m := zmqtest.RecvParts(t, router)
		require.Len(t, m, 4)
		require.Equal(t, "hello", string(m[3]))
	}
	_, err = router.RecvBytes(context.Background(), zmq.DontWait)
	require.ErrorIs(t, err, zmq.ErrAgain)
	require.EqualValues(t, 2, client.Stats().Retries)
}
