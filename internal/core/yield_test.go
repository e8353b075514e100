package core

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNoYieldsAfterALongOneInVain(t *testing.T) {
	t.Parallel()
	var c yieldBackoff
	yields := 0
	short := func() { yields++ }
	long := func() {
		yields++
		for began := time.Now(); time.Since(began) <= yieldLong; {
			// as if somebody else had the processor
		}
	}
	require.Greater(t, c.yield(long), yieldLong)
	require.Equal(t, 1, yields)
	require.GreaterOrEqual(t, c.yield(short), time.Duration(0), "something came of the long one")
	require.False(t, c.vain(0), "a short one in vain")

	before := time.Since(start)
	require.True(t, c.vain(c.yield(long)))
	require.Greater(t, time.Duration(c.until.Load()), before+crowdFirst)
	c.until.Add(int64(time.Hour)) // however long the machine stands still here
	require.Negative(t, c.yield(short), "while the pause lasts")
	require.True(t, c.vain(-1))
	require.Equal(t, 3, yields)
	c.until.Store(0) // as if it were over
	require.GreaterOrEqual(t, c.yield(short), time.Duration(0))
	require.Equal(t, 4, yields)
}

func TestPausesWithoutYieldsGrow(t *testing.T) {
	t.Parallel()
	var c yieldBackoff
	now := time.Hour
	for want := crowdFirst; want < crowdMost; want *= 2 {
		c.note(now)
		require.Equal(t, want, time.Duration(c.pause.Load()))
		require.Equal(t, now+want, time.Duration(c.until.Load()))
		now += want + 1
	}
	for range 3 {
		c.note(now)
		require.Equal(t, crowdMost, time.Duration(c.pause.Load()))
		now += crowdMost + 1
	}
	c.note(now + 9*crowdMost) // it was quiet for long
	require.Equal(t, crowdFirst, time.Duration(c.pause.Load()))
}
