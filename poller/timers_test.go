package poller

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// While the clock stands still, a timer that was created in this round waits for the next one.
func TestTimersWhileTheClockStands(t *testing.T) {
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
