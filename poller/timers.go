package poller

import (
	"container/heap"
	"time"
)

// timers holds a Reactor's timers in a heap, the next one first. Timers that are due at the
// same time are in the order in which they were added.
type timers struct {
	list  timerHeap
	added uint64 // how many were added so far
}

// add inserts a timer after those that are due at the same time.
func (ts *timers) add(t *Timer) {
	ts.added++
	t.order = ts.added
	heap.Push(&ts.list, t)
}

// next returns the first timer, or nil.
func (ts *timers) next() *Timer {
	if len(ts.list) == 0 {
		return nil
	}
	return ts.list[0]
}

// takeDue returns the first timer if it is due and was created before the round, and
// removes it. A repeating timer is put back for its next time. The clock may not advance
// for milliseconds, and timers that were created then come last among those that are due.
func (ts *timers) takeDue(now time.Time, round uint64) *Timer {
	t := ts.next()
	if t == nil || t.when.After(now) || t.round == round {
		return nil
	}
	heap.Pop(&ts.list)
	if t.interval > 0 {
		missed := now.Sub(t.when) / t.interval
		t.when = t.when.Add((missed + 1) * t.interval)
		ts.add(t)
	}
	return t
}

// remove removes a timer and reports whether it was there.
func (ts *timers) remove(t *Timer) bool {
	if t.at == 0 {
		return false
	}
	heap.Remove(&ts.list, t.at-1)
	return true
}

// timerHeap is a heap.Interface. A timer knows its place in it, so that its removal does not
// have to search.
type timerHeap []*Timer

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(i, j int) bool {
	if !h[i].when.Equal(h[j].when) {
		return h[i].when.Before(h[j].when)
	}
	return h[i].order < h[j].order
}

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i+1, j+1
}

// Push implements heap.Interface.
func (h *timerHeap) Push(x any) {
	t := x.(*Timer)
	*h = append(*h, t)
	t.at = len(*h)
}

// Pop implements heap.Interface.
func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	t.at = 0
	return t
}
