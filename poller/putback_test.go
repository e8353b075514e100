package poller_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// A message that a RecvChan returns when it is stopped wakes a poller.
func TestPollSeesWhatIsGivenBack(t *testing.T) {
	t.Parallel()
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	defer func() { require.NoError(t, zctx.Close()) }()
	pull, err := zctx.NewSocket(zmq.Pull)
	require.NoError(t, err)
	require.NoError(t, pull.Bind("inproc://given-back"))
	push, err := zctx.NewSocket(zmq.Push)
	require.NoError(t, err)
	require.NoError(t, push.Connect("inproc://given-back"))
	p, err := poller.New()
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	require.NoError(t, p.Add(pull, poller.In))
	for range 300 {
		in := pull.RecvChan(t.Context())
		require.NoError(t, push.SendString(context.Background(), "message"))
		// Over inproc it arrives at once: if the socket is not readable, the channel has
		// it.
		require.Eventually(t, func() bool {
			events, err := p.Poll(0)
			return err == nil && len(events) == 0
		}, 10*time.Second, time.Microsecond)
		polled := make(chan error, 1)
		go func() {
			_, err := p.Poll(-1)
			polled <- err
		}()
		in.Stop()
		require.NoError(t, <-polled)
		part, err := pull.RecvString(context.Background(), zmq.DontWait)
		require.NoError(t, err)
		require.Equal(t, "message", part)
	}
}
