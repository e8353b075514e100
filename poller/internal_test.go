package poller

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
