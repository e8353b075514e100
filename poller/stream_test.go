package poller

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A wait begins with the number of messages since the last one, by which the spin tells a
// stream from single messages.
func TestPollCountsReceivedMessages(t *testing.T) {
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	defer zctx.Close()
	push, err := zctx.NewSocket(zmq.Push)
	require.NoError(t, err)
	pull, err := zctx.NewSocket(zmq.Pull)
	require.NoError(t, err)
	require.NoError(t, pull.Bind("inproc://stream"))
	require.NoError(t, push.Connect("inproc://stream"))
	p, err := New()
	require.NoError(t, err)
	defer p.Close()
	require.NoError(t, p.Add(pull, In))

	for range 2 {
		for range 5 {
			require.NoError(t, push.Send(context.Background(), []byte("x")))
			events, err := p.Poll(-1)
			require.NoError(t, err)
			require.Len(t, events, 1)
			_, err = pull.RecvBytes(context.Background())
			require.NoError(t, err)
		}
		events, err := p.Poll(0)
		require.NoError(t, err)
		require.Empty(t, events)
		require.EqualValues(t, 5, p.got)

		events, err = p.Poll(time.Millisecond)
		require.NoError(t, err)
		require.Empty(t, events)
		require.Zero(t, p.got, "the wait must start a new count")
	}
}
