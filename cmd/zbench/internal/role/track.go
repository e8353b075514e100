package role

import "slices"

// gap is a range of numbers that have not come, without last.
type gap struct{ first, last uint64 }

// mostGaps bounds the memory of a tracker. A number that is missing for longer than so
// many later gaps stays missing.
const mostGaps = 1 << 14

// tracker finds the messages of a sender that are missing, came twice, or came after a
// later one. Only one goroutine may use it.
type tracker struct {
	next       uint64 // one more than the highest number that came
	gaps       []gap  // sorted
	given      uint64 // messages in gaps that are given up
	duplicated int64
	reordered  int64
	ended      bool
}

// see notes a message.
func (t *tracker) see(number uint64) {
	switch {
	case number == t.next:
		t.next++
	case number > t.next:
		t.gaps = append(t.gaps, gap{t.next, number})
		t.next = number + 1
		if len(t.gaps) > mostGaps {
			t.given += t.gaps[0].last - t.gaps[0].first
			t.gaps = t.gaps[1:]
		}
	case t.fill(number):
		t.reordered++
	default:
		t.duplicated++
	}
}

// fill removes a number from its gap. It returns false if the number is in none.
func (t *tracker) fill(number uint64) bool {
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

// finish notes how many messages there were.
func (t *tracker) finish(count uint64) {
	if count > t.next {
		t.gaps = append(t.gaps, gap{t.next, count})
		t.next = count
	}
	t.ended = true
}

// lost returns how many are missing.
func (t *tracker) lost() int64 {
	n := t.given
	for _, g := range t.gaps {
		n += g.last - g.first
	}
	return int64(n)
}
