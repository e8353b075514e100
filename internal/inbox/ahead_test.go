package inbox

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

func yes() bool { return true }

// Looking for more in vain becomes rare, and common again when it finds something.
func TestReadAheadBecomesRareInVain(t *testing.T) {
	q := newQueue(t)
	for want := aheadAfter; want < aheadRarest; want *= 2 {
		require.Equal(t, want, q.after)
		q.inARow = want - 1
		require.False(t, q.Due())
		q.inARow++
		require.True(t, q.Due())
		q.Begin(yes)
		messages, bytes := q.room()
		require.Equal(t, AheadMost, messages)
		require.Equal(t, Portion, bytes)
		q.goOn(1)
		require.Zero(t, q.atOnce)
	}
	q.goOn(2)
	require.Equal(t, aheadAfter, q.after)
}

func TestReadAheadEndsWithALargeMessage(t *testing.T) {
	q := newQueue(t)
	large := make([]libzmq.Msg, 1)
	fill(&large[0], strings.Repeat("a", aheadLargest+1), false)
	q.insert(large, false)
	q.Begin(yes)
	q.goOn(2)
	q.Begin(yes)
	require.Zero(t, q.atOnce)
}

func TestBarEndsOnlyAutomaticReadAhead(t *testing.T) {
	q := newQueue(t)
	q.Begin(yes)
	q.Bar()
	q.Begin(yes)
	require.Zero(t, q.atOnce)
	require.Equal(t, Auto, q.ReadAhead())

	q.SetReadAhead(7)
	q.Bar()
	require.Equal(t, 7, q.ReadAhead())
	messages, bytes := q.room()
	require.Equal(t, 7, messages)
	require.Equal(t, math.MaxInt, bytes)
}

// The answer is asked for once.
func TestBeginAsksOnce(t *testing.T) {
	q := newQueue(t)
	q.Begin(func() bool { return false })
	q.Begin(func() bool { panic("asked again") })
	require.Zero(t, q.atOnce)
}
