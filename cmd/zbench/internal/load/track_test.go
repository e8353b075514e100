package load

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever comes, in whatever order, the tracker says what counting it all says.
func TestTracker(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		came := rapid.SliceOf(rapid.Uint64Range(0, 30)).Draw(t, "came")
		extra := rapid.Uint64Range(0, 5).Draw(t, "extra")
		var tr Tracker
		seen, highest := map[uint64]bool{}, uint64(0)
		duplicated, reordered := int64(0), int64(0)
		for _, n := range came {
			switch {
			case seen[n]:
				duplicated++
			case len(seen) > 0 && n < highest:
				reordered++
			}
			seen[n] = true
			highest = max(highest, n)
			tr.See(n)
		}
		count := extra
		if len(came) > 0 {
			count += slices.Max(came) + 1
		}
		tr.Finish(count)
		if tr.Lost() != int64(count)-int64(len(seen)) || tr.Duplicated != duplicated || tr.Reordered != reordered {
			t.Fatalf("lost %d, duplicated %d, reordered %d of %v and %d", tr.Lost(), tr.Duplicated, tr.Reordered, came, count)
		}
	})
}

// The memory of a tracker is bounded. The gaps that it forgets count as lost.
func TestTrackerForgets(t *testing.T) {
	t.Parallel()
	var tr Tracker
	const n = 3 * mostGaps
	for i := range uint64(n) {
		tr.See(2*i + 1)
	}
	require.LessOrEqual(t, len(tr.gaps), mostGaps)
	require.EqualValues(t, n, tr.Lost())
	tr.See(0)
	require.EqualValues(t, 1, tr.Duplicated, "the gap of this one was given up")
}
