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

// Adding and cancelling a timer move a few of the others, not all that are due later.
func TestTimersMoveFew(t *testing.T) {
	t.Parallel()
	const n, few = 100_000, 18 // few is the depth of the heap and one more
	now := time.Now()
	var ts timers
	places := make([]int, 0, n)
	moved := func() (moved int) {
		for i, timer := range ts.list {
			if i < len(places) && places[i] != int(timer.order) {
				moved++
			}
		}
		places = places[:0]
		for _, timer := range ts.list {
			places = append(places, int(timer.order))
		}
		return moved
	}
	list := make([]*Timer, n)
	for i := range list {
		list[i] = &Timer{when: now.Add(time.Duration(i*7919%n) * time.Millisecond)}
		ts.add(list[i])
	}
	moved()
	for i := range 20 {
		require.True(t, ts.remove(list[i*7907%n]))
		require.LessOrEqual(t, moved(), few)
		ts.add(&Timer{when: now})
		require.LessOrEqual(t, moved(), few)
	}
	require.False(t, ts.remove(list[0]), "it was removed already")
	require.Len(t, ts.list, n)
}
