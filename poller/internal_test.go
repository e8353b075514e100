package poller

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// A wait begins with the number of messages since the last one, by which the spin tells a
// stream from single messages.
func TestPollCountsReceivedMessages(t *testing.T) {
	pull, push := zmqtest.Pair(t, zmq.Pull, zmq.Push, zmqtest.InprocName())
	p, err := New()
	require.NoError(t, err)
	defer p.Close()
	require.NoError(t, p.Add(pull, In))
	for range 2 {
		for range 5 {
			require.NoError(t, push.SendString(context.Background(), "x"))
			events, err := p.Poll(-1)
			require.NoError(t, err)
			require.Len(t, events, 1)
			zmqtest.RecvBytes(t, pull)
		}
		for timeout, want := range []uint64{5, 0} {
			events, err := p.Poll(time.Duration(timeout) * time.Millisecond)
			require.NoError(t, err)
			require.Empty(t, events)
			require.Equal(t, want, p.got, "a wait starts a new count")
		}
	}
}

// While the clock does not advance, a timer that was created in this round waits for the next one.
func TestTimersWithTheSameTime(t *testing.T) {
	t.Parallel()
	now := time.Now()
	var ts timers
	ts.add(&Timer{when: now, round: 1})
	ts.add(&Timer{when: now, round: 2})
	require.NotNil(t, ts.takeDue(now, 2))
	require.Nil(t, ts.takeDue(now, 2))
	require.NotNil(t, ts.takeDue(now, 3))
	require.Nil(t, ts.takeDue(now, 3))
}
