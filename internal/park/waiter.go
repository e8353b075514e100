package park

import (
	"sync"
	"time"
)

// Waiter is one goroutine that waits for a socket. It belongs to that goroutine, and the
// mutex of the socket guards its place in a List.
type Waiter struct {
	ready      chan struct{} // one token for each wake-up, never more than one
	timer      *time.Timer
	list       *List // nil once removed, by this or the waking goroutine
	prev, next *Waiter

	// In Groups:
	Since   time.Time // when the wait began, which its goroutine sets
	key     string
	group   *group  // nil unless it waits
	groups  *Groups // that of the last Push
	retries bool    // it was woken, has left, and its attempt is not judged yet
}

var waiters = sync.Pool{New: func() any {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return &Waiter{ready: make(chan struct{}, 1), timer: t}
}}

// Get returns a Waiter that is in no list. Put takes it back.
func Get() *Waiter { return waiters.Get().(*Waiter) }

// Put keeps a Waiter for the next Get.
func (w *Waiter) Put() {
	w.Since, w.key, w.groups, w.retries = time.Time{}, "", nil, false
	waiters.Put(w)
}

// Reason says why a wait ended.
type Reason uint8

// The reasons for the end of a wait.
const (
	Woken     Reason = iota // another goroutine took the Waiter off its list
	Expired                 // the time has passed
	Cancelled               // done was closed
)

// Sleep parks the goroutine, which does not hold the socket's mutex, until it is woken, the
// limit has passed or done is closed. A negative limit means none. Afterwards the goroutine
// takes the mutex and calls Leave.
func (w *Waiter) Sleep(done <-chan struct{}, limit time.Duration) Reason {
	if limit < 0 && done == nil {
		<-w.ready
		return Woken
	}
	var expired <-chan time.Time
	if limit >= 0 {
		w.timer.Reset(limit)
		defer w.timer.Stop()
		expired = w.timer.C
	}
	select {
	case <-w.ready:
		return Woken
	case <-expired:
		return Expired
	case <-done:
		return Cancelled
	}
}

// List is a FIFO queue of waiters. The zero value is empty. The mutex of the socket guards it.
type List struct {
	first, last *Waiter
	n           int
	woken       int // waiters that were woken and have not left yet
}

// Len returns the number of waiters that have not been woken.
func (l *List) Len() int { return l.n }

// Woken returns the number of waiters that have been woken and have not called Leave yet.
func (l *List) Woken() int { return l.woken }

// Push appends a waiter.
func (l *List) Push(w *Waiter) {
	w.list, w.prev, w.next = l, l.last, nil
	if l.last != nil {
		l.last.next = w
	} else {
		l.first = w
	}
	l.last = w
	l.n++
}

func (l *List) pushFront(w *Waiter) {
	if l.first == nil {
		l.Push(w)
		return
	}
	w.list, w.prev, w.next = l, nil, l.first
	l.first.prev = w
	l.first = w
	l.n++
}

// Leave ends the stay of a waiter whose Sleep has returned reason. It reports whether another
// goroutine had woken the waiter, which is possible with every reason.
func (l *List) Leave(w *Waiter, reason Reason) (woken bool) {
	if w.list != nil {
		l.remove(w)
		return false
	}
	l.woken--
	if reason != Woken {
		<-w.ready // the token is there already
	}
	return true
}

func (l *List) remove(w *Waiter) {
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

// WakeFirst wakes the waiter that has waited longest, if there is one.
func (l *List) WakeFirst() {
	if w := l.first; w != nil {
		l.remove(w)
		l.woken++
		w.ready <- struct{}{}
	}
}

// WakeAll wakes all waiters.
func (l *List) WakeAll() {
	for l.first != nil {
		l.WakeFirst()
	}
}
