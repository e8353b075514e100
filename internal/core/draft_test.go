package core

import (
	"context"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// refusesParts makes a connected socket refuse messages of several parts. Unlike with
// ZMQ_CONFLATE, its queues keep their limits.
func refusesParts(s *Socket) {
	h := s.lock.Lock()
	s.options.Turn(libzmq.OptConflate, true)
	h.classify()
	s.lock.Unlock()
}

// refusedBatch returns a batch of n messages, one that is refused and one behind it.
func refusedBatch(t *testing.T, n int) *Batch {
	t.Helper()
	b := &Batch{}
	b.Init(n + 2)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	for i := range n {
		require.NoError(t, b.Append([][]byte{{byte(i)}}))
	}
	require.NoError(t, b.Append([][]byte{{'2'}, {'2'}}))
	require.NoError(t, b.Append([][]byte{{'b'}}))
	return b
}

// requireRefused requires that the refused message is the first of the batch, drops it and
// sends the one behind it.
func requireRefused(t *testing.T, s *Socket, b *Batch) {
	t.Helper()
	require.Equal(t, 2, b.Len())
	requireParts(t, [][]byte{{'2'}, {'2'}}, b.At(0))
	require.Equal(t, 1, b.Skip(1))
	sent, err := s.SendBatch(context.Background(), b, true)
	require.NoError(t, err)
	require.Equal(t, 1, sent)
	require.Zero(t, b.Len())
}

// The messages before a refused one wait for room like others, and are sent first.
func TestBatchRefusedAfterWait(t *testing.T) {
	t.Parallel()
	const messages = 20
	pull, push := connected(t, newContext(t), "inproc://refused-after-wait", libzmq.Pull, libzmq.Push, 2)
	refusesParts(push)
	b := refusedBatch(t, messages)
	sent, err := push.SendBatch(context.Background(), b, true)
	require.ErrorIs(t, err, syscall.EAGAIN)
	require.Positive(t, sent)
	require.Equal(t, messages+2, sent+b.Len())
	requireParts(t, [][]byte{{byte(sent)}}, b.At(0))

	rest, done := 0, make(chan error, 1)
	go func() {
		n, err := push.SendBatch(context.Background(), b, false)
		rest = n
		done <- err
	}()
	for i := range messages {
		part, err := pull.RecvBytes(context.Background(), false)
		require.NoError(t, err)
		require.Equal(t, []byte{byte(i)}, part)
	}
	require.Same(t, rules.ErrConflate, <-done)
	require.Equal(t, messages, sent+rest)
	requireRefused(t, push, b)
}

func requireParts(t *testing.T, want [][]byte, got []libzmq.Msg) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, string(want[i]), string(got[i].Bytes()))
		require.Equal(t, i < len(want)-1, got[i].More())
	}
}
