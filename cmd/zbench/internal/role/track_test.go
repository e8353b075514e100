package role

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
)

// Whatever comes, in whatever order, the tracker says what counting it all says.
func TestTracker(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		came := rapid.SliceOf(rapid.Uint64Range(0, 30)).Draw(t, "came")
		extra := rapid.Uint64Range(0, 5).Draw(t, "extra")
		var tr tracker
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
			tr.see(n)
		}
		count := extra
		if len(came) > 0 {
			count += slices.Max(came) + 1
		}
		tr.finish(count)
		if tr.lost() != int64(count)-int64(len(seen)) || tr.duplicated != duplicated || tr.reordered != reordered {
			t.Fatalf("lost %d, duplicated %d, reordered %d of %v and %d", tr.lost(), tr.duplicated, tr.reordered, came, count)
		}
	})
}

// The memory of a tracker is bounded. The gaps that it forgets count as lost.
func TestTrackerForgets(t *testing.T) {
	t.Parallel()
	var tr tracker
	const n = 3 * mostGaps
	for i := range uint64(n) {
		tr.see(2*i + 1)
	}
	require.LessOrEqual(t, len(tr.gaps), mostGaps)
	require.EqualValues(t, n, tr.lost())
	tr.see(0)
	require.EqualValues(t, 1, tr.duplicated, "the gap of this one was given up")
}

func TestHeader(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := header{
			shared: rapid.Bool().Draw(t, "shared"), end: rapid.Bool().Draw(t, "end"),
			number: rapid.Uint64Range(0, 1<<numberBits-1).Draw(t, "number"),
			sender: rapid.Uint32Range(1, 1<<32-1).Draw(t, "sender"),
		}
		p := make([]byte, plan.HeaderSize, 100)
		h.put(p)
		var got header
		if !got.read(p[:rapid.IntRange(plan.HeaderSize, 100).Draw(t, "length")]) || got != h {
			t.Fatalf("%+v, not %+v", got, h)
		}
	})
	var h header
	for _, p := range []string{"", "short", "text of more than twelve bytes", string(make([]byte, 64))} {
		require.False(t, h.read([]byte(p)), "%q", p)
	}
	require.NotZero(t, newSender(false).sender)
}
