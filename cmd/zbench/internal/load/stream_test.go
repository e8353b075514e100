package load

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

var oneWay = record.Cell{Verb: record.Thr, Pattern: "pushpull", Transport: "tcp", Size: 64, Impl: "go", Senders: 1, Receivers: 1}

// newPush is the sender of a test of Collect.
func newPush(t *testing.T) *zmq.Socket {
	t.Helper()
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, zctx.Close()) })
	push, err := zctx.NewSocket(zmq.Push)
	require.NoError(t, err)
	return push
}

// When nothing came in the rest of the time, the rest counts, too.
func TestCollectStandstill(t *testing.T) {
	t.Parallel()
	push := newPush(t)
	const duration = 100 * time.Millisecond
	r, total, err := Collect(t.Context(), oneWay, record.Method{Duration: duration}, "127.0.0.1", 1, func(p Peer) error {
		require.NoError(t, push.Connect(p.Endpoint))
		go func() {
			_ = push.Send(context.Background(), make([]byte, 64))
			time.Sleep(10 * duration)
			_ = push.Send(context.Background(), make([]byte, 64))
			_ = push.Send(context.Background(), make([]byte, 65)) // the end
		}()
		return nil
	})
	require.NoError(t, err)
	require.EqualValues(t, 2, total)
	if r.Messages == 1 { // else this process stood still, and not the sender
		require.Equal(t, duration, r.Elapsed)
	}
}

// What nobody takes is not counted as sent.
func TestPourNotTaken(t *testing.T) {
	t.Parallel()
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull, zmq.RecvHWM.To(1))
	require.NoError(t, err)
	require.NoError(t, pull.Bind("tcp://127.0.0.1:*"))
	endpoint, err := pull.LastEndpoint()
	require.NoError(t, err)
	cell := record.Cell{Verb: record.Thr, Pattern: "pushpull", Transport: "tcp", Size: 100 << 10, Impl: "go", Senders: 1, Receivers: 1}
	_, _, err = SendStream(t.Context(), cell, record.Method{Count: 500}, Peer{Endpoint: endpoint})
	require.ErrorContains(t, err, "not all that was sent has been taken, 10s after the end: ")
}

// Senders that stood still have little time left: what came in it counts.
func TestCollectInTheWarmUp(t *testing.T) {
	t.Parallel()
	push := newPush(t)
	r, total, err := Collect(t.Context(), oneWay, record.Method{Warmup: time.Hour, Duration: time.Hour}, "127.0.0.1", 1, func(p Peer) error {
		require.NoError(t, push.Connect(p.Endpoint))
		for range 10 {
			require.NoError(t, push.Send(context.Background(), make([]byte, 64)))
		}
		return push.Send(context.Background(), make([]byte, 65)) // the end
	})
	require.NoError(t, err)
	require.EqualValues(t, 10, total)
	require.EqualValues(t, 9, r.Messages)
	require.Positive(t, r.Elapsed)
	require.Equal(t, []string{"all came in the time of the warm-up; measure for longer (--duration)"}, r.Warnings)
}
