package poller

import (
	"container/heap"
	"time"
)

// timers is a heap of a Reactor's timers, the next one first.
type timers struct {
	list   timerHeap
	number uint64
}

func (ts *timers) add(t *Timer) {
	ts.number++
	t.number = ts.number
	heap.Push(&ts.list, t)
}

// takeDue returns the first timer if it is due and removes it. A repeating timer is put
// back for its next time.
func (ts *timers) takeDue(now time.Time) *Timer {
	if len(ts.list) == 0 || ts.list[0].when.After(now) {
		return nil
	}
	t := ts.list[0]
	if t.interval == 0 {
		heap.Pop(&ts.list)
		return t
	}
	missed := now.Sub(t.when) / t.interval
	t.when = t.when.Add((missed + 1) * t.interval)
	heap.Fix(&ts.list, 0)
	return t
}

func (ts *timers) remove(t *Timer) bool {
	if t.index < 0 {
		return false
	}
	heap.Remove(&ts.list, t.index)
	return true
}

type timerHeap []*Timer

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(i, j int) bool {
	if h[i].when.Equal(h[j].when) {
		return h[i].number < h[j].number
	}
	return h[i].when.Before(h[j].when)
}

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *timerHeap) Push(t any) {
	timer := t.(*Timer)
	timer.index = len(*h)
	*h = append(*h, timer)
}

// Pop implements heap.Interface.
func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	t.index = -1
	return t
}
