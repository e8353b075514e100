package poller

import (
	"slices"
	"time"
)

// timers holds a Reactor's timers, the next one first.
type timers []*Timer

// add inserts a timer after those that are due at the same time.
func (ts *timers) add(t *Timer) {
	i, _ := slices.BinarySearchFunc(*ts, t, func(other, t *Timer) int {
		if other.when.After(t.when) {
			return 1
		}
		return -1
	})
	*ts = slices.Insert(*ts, i, t)
}

// takeDue returns the first timer if it is due and was created before the round, and
// removes it. A repeating timer is put back for its next time. The clock may not advance
// for milliseconds, and timers that were created then come last among those that are due.
func (ts *timers) takeDue(now time.Time, round uint64) *Timer {
	if len(*ts) == 0 || (*ts)[0].when.After(now) || (*ts)[0].round == round {
		return nil
	}
	t := (*ts)[0]
	*ts = slices.Delete(*ts, 0, 1)
	if t.interval > 0 {
		missed := now.Sub(t.when) / t.interval
		t.when = t.when.Add((missed + 1) * t.interval)
		ts.add(t)
	}
	return t
}

// remove removes a timer and reports whether it was there.
func (ts *timers) remove(t *Timer) bool {
	i := slices.Index(*ts, t)
	if i >= 0 {
		*ts = slices.Delete(*ts, i, i+1)
	}
	return i >= 0
}
