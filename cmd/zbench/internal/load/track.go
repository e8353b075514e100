package load

import "slices"

// gap is a range of numbers that have not come, without last.
type gap struct{ first, last uint64 }

// mostGaps bounds the memory of a Tracker. A number that is missing for longer than so
// many later gaps stays missing.
const mostGaps = 1 << 14

// A Tracker finds the messages of a sender that are missing, came twice, or came after a
// later one. Only one goroutine may use it.
type Tracker struct {
	Next       uint64 // one more than the highest number that came
	gaps       []gap  // sorted
	given      uint64 // messages in gaps that are given up
	Duplicated int64
	Reordered  int64
	Ended      bool
}

// See notes a message.
func (t *Tracker) See(number uint64) {
	switch {
	case number == t.Next:
		t.Next++
	case number > t.Next:
		t.gaps = append(t.gaps, gap{t.Next, number})
		t.Next = number + 1
		if len(t.gaps) > mostGaps {
			t.given += t.gaps[0].last - t.gaps[0].first
			t.gaps = t.gaps[1:]
		}
	case t.fill(number):
		t.Reordered++
	default:
		t.Duplicated++
	}
}

// fill removes a number from its gap. It returns false if the number is in none.
func (t *Tracker) fill(number uint64) bool {
	i, found := slices.BinarySearchFunc(t.gaps, number, func(g gap, n uint64) int {
		switch {
		case g.last <= n:
			return -1
		case g.first > n:
			return 1
		}
		return 0
	})
	if !found {
		return false
	}
	rest := []gap{{t.gaps[i].first, number}, {number + 1, t.gaps[i].last}}
	rest = slices.DeleteFunc(rest, func(g gap) bool { return g.first == g.last })
	t.gaps = slices.Replace(t.gaps, i, i+1, rest...)
	return true
}

// Finish notes how many messages there were.
func (t *Tracker) Finish(count uint64) {
	if count > t.Next {
		t.gaps = append(t.gaps, gap{t.Next, count})
		t.Next = count
	}
	t.Ended = true
}

// Lost returns how many are missing.
func (t *Tracker) Lost() int64 {
	n := t.given
	for _, g := range t.gaps {
		n += g.last - g.first
	}
	return int64(n)
}
