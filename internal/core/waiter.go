package core

import (
	"sync"
	"time"
)

// Direction is the direction of an operation.
type Direction uint8

const (
	Recv Direction = iota // wait for a message to receive
	Send                  // wait for room to send
)

// waiter is one goroutine that waits for a socket. It belongs to the waiting goroutine.
// The socket's mutex guards its place in a list.
type waiter struct {
	ready      chan struct{} // one token for each wake-up; never more than one
	timer      *time.Timer
	list       *waiterList // nil once removed, by this or the waking goroutine
	prev, next *waiter
}

var waiters = sync.Pool{New: func() any {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return &waiter{ready: make(chan struct{}, 1), timer: t}
}}

// wake is the reason why a wait ended.
type wake uint8

const (
	wakeReady wake = iota
	wakeTimer
	wakeContext
)

// sleep parks the goroutine. The socket's mutex is not held.
func (w *waiter) sleep(done <-chan struct{}, limit time.Duration) wake {
	if limit < 0 && done == nil {
		<-w.ready
		return wakeReady
	}
	var expired <-chan time.Time
	if limit >= 0 {
		w.timer.Reset(limit)
		defer w.timer.Stop()
		expired = w.timer.C
	}
	select {
	case <-w.ready:
		return wakeReady
	case <-expired:
		return wakeTimer
	case <-done:
		return wakeContext
	}
}

// waiterList is a FIFO queue of waiters.
type waiterList struct {
	first, last *waiter
	n           int
	woken       int // waiters that were woken and have not run yet
}

func (l *waiterList) push(w *waiter) {
	w.list, w.prev, w.next = l, l.last, nil
	if l.last != nil {
		l.last.next = w
	} else {
		l.first = w
	}
	l.last = w
	l.n++
}

func (l *waiterList) remove(w *waiter) {
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		l.first = w.next
	}
	if w.next != nil {
		w.next.prev = w.prev
	} else {
		l.last = w.prev
	}
	w.list, w.prev, w.next = nil, nil, nil
	l.n--
}

// wakeFirst wakes the waiter that has waited longest.
func (l *waiterList) wakeFirst() {
	if w := l.first; w != nil {
		l.remove(w)
		l.woken++
		w.ready <- struct{}{}
	}
}

func (l *waiterList) wakeAll() {
	for l.first != nil {
		l.wakeFirst()
	}
}
