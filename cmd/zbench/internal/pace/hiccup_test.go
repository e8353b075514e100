package pace

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The parts of a sleep before and after the span do not count.
func TestTheLongestHiccupOfASpan(t *testing.T) {
	t.Parallel()
	type hiccup struct{ due, now time.Duration }
	const end = 300 // of a span from 100 on
	for name, c := range map[string]struct {
		during, after []hiccup // known before the end, and after it
		longest       time.Duration
	}{
		"none":               {longest: 0},
		"before":             {during: []hiccup{{10, 90}}, longest: 0},
		"in":                 {during: []hiccup{{110, 120}, {130, 160}, {170, 171}}, longest: 30},
		"over the beginning": {during: []hiccup{{10, 105}}, longest: 5},
		"over the end":       {after: []hiccup{{280, 500}}, longest: 20},
		"over both":          {after: []hiccup{{10, 500}}, longest: 200},
		"behind":             {after: []hiccup{{310, 500}}, longest: 0},
	} {
		var h Hiccups
		h.note(1, 90) // of what is not known to begin
		h.Begin(100)
		for _, x := range c.during {
			h.note(x.due, x.now)
		}
		h.End(end)
		for _, x := range c.after {
			h.note(x.due, x.now)
		}
		require.Equal(t, c.longest, h.Longest(), name)
	}
}
