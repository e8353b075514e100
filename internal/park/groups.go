package park

import "time"

// Groups holds the senders that wait for a socket which cannot say when a send is possible:
// a ROUTER or a STREAM has one queue per peer, and reports room if any of them has some.
// Senders with the same key wait for the same peer, in one FIFO queue, and only the first of
// them tries again. When any peer may have got room (Announce), the groups take turns, and a
// budget bounds the attempts that fail. So senders to peers that do not read take little of
// the processor from the others. The mutex of the socket guards Groups.
//
// The zero value is empty. A nil Groups has no waiters.
type Groups struct {
	keyed       map[string]*group
	first, last *group // the group that was tried longest ago comes first
	n, woken    int    // as in List
	announced   uint64
	budget      budget
	wakes       uint64
	unused      *group // groups for later waiters, linked by next
}

// group is the queue of the senders with one key. It exists while it has waiters, or one that
// was woken and has not left yet.
type group struct {
	waiters    List
	key        string // "" if the only waiter has no key
	tried      uint64 // the value of announced when it was tried last
	prev, next *group
}

// MaxKey is the length of the longest key. A waiter with a longer one, or none, has a group of
// its own, which is always correct.
const MaxKey = 255

// Len returns the number of waiters that have not been woken.
func (g *Groups) Len() int {
	if g == nil {
		return 0
	}
	return g.n
}

// Empty reports whether no goroutine waits or has been woken and not left yet.
func (g *Groups) Empty() bool { return g.n+g.woken == 0 }

// Push adds a waiter to the group of its key. Its goroutine has just tried in vain, so the
// group is not tried again before the next Announce. A waiter that was woken and tried in vain
// keeps its place at the front if its key has not changed.
func (g *Groups) Push(w *Waiter, key []byte) {
	if len(key) > MaxKey {
		key = nil
	}
	again := w.retries && string(key) == w.key
	if !again {
		w.Next() // what it was woken for is there for the next one
		w.key = string(key)
	}
	q := g.groupOf(w.key)
	if again {
		q.waiters.pushFront(w)
	} else {
		q.waiters.Push(w)
	}
	w.group, w.groups, w.retries = q, g, false
	g.n++
	g.settle(q)
}

// groupOf returns the group of a key, which it creates if there is none.
func (g *Groups) groupOf(key string) *group {
	if q := g.keyed[key]; q != nil {
		return q
	}
	q := g.unused
	if q == nil {
		q = new(group)
	} else {
		g.unused = q.next
	}
	*q = group{key: key}
	if key != "" {
		if g.keyed == nil {
			g.keyed = map[string]*group{}
		}
		g.keyed[key] = q
	}
	g.link(q)
	return q
}

// Leave ends the stay of a waiter whose Sleep has returned reason, as in List. A waiter that was
// woken calls Failed or Next, unless the socket is closed.
func (g *Groups) Leave(w *Waiter, reason Reason) (woken bool) {
	q := w.group
	if woken = q.waiters.Leave(w, reason); woken {
		g.woken--
	} else {
		g.n--
	}
	w.retries = woken
	if q.waiters.Len()+q.waiters.Woken() == 0 {
		g.unlink(q)
		if q.key != "" {
			delete(g.keyed, q.key)
		}
		*q = group{next: g.unused}
		g.unused = q
	}
	w.group = nil
	return woken
}

// Wakes returns how many waiters have been woken so far.
func (g *Groups) Wakes() uint64 { return g.wakes }

// Announce notes that any peer may have got room since the groups were tried.
func (g *Groups) Announce() { g.announced++ }

// Wake wakes the first waiter of each group that must be tried, as far as the budget allows.
// If groups are left, it returns the time after which it must be called again, and otherwise 0.
// The next call after an attempt that succeeded may come at once.
func (g *Groups) Wake(now time.Time) (again time.Duration) {
	for q := g.first; q != nil && q.tried != g.announced; q = g.first {
		// One that has been woken and has not run yet will try, and then see the new room.
		if q.waiters.Woken() == 0 {
			if !g.budget.take(now) {
				return budgetTime
			}
			g.wake(q)
		}
		g.settle(q)
	}
	return 0
}

func (g *Groups) wake(q *group) {
	g.n--
	g.woken++
	g.wakes++
	q.waiters.WakeFirst()
}

// WakeAll wakes all waiters.
func (g *Groups) WakeAll() {
	for q := g.first; q != nil; q = q.next {
		for q.waiters.Len() > 0 {
			g.wake(q)
		}
	}
}

// Longest returns when the waiter that has waited longest began to wait.
func (g *Groups) Longest() (since time.Time) {
	for q := g.first; q != nil; q = q.next {
		for w := q.waiters.first; w != nil; w = w.next {
			if since.IsZero() || w.Since.Before(since) {
				since = w.Since
			}
		}
	}
	return since
}

// Failed says that a waiter that has left tried in vain, and how long the attempt took.
func (w *Waiter) Failed(took time.Duration) {
	if w.retries {
		w.groups.budget.left -= int(min(took, budgetTime) / attemptTime)
	}
}

// Next wakes the next waiter of the group of a waiter that has left without leaving it to
// Failed: it has sent a message, its peer is gone, or its context has ended.
func (w *Waiter) Next() {
	if !w.retries {
		return
	}
	w.retries = false
	g := w.groups
	g.budget.giveBack()
	if q := g.keyed[w.key]; q != nil && q.waiters.Len() > 0 {
		g.wake(q)
	}
}

// settle makes a group the last one to be tried again, and not before the next Announce.
func (g *Groups) settle(q *group) {
	q.tried = g.announced
	if g.last != q {
		g.unlink(q)
		g.link(q)
	}
}

func (g *Groups) link(q *group) {
	q.prev, q.next = g.last, nil
	if g.last != nil {
		g.last.next = q
	} else {
		g.first = q
	}
	g.last = q
}

func (g *Groups) unlink(q *group) {
	if q.prev != nil {
		q.prev.next = q.next
	} else {
		g.first = q.next
	}
	if q.next != nil {
		q.next.prev = q.prev
	} else {
		g.last = q.prev
	}
}

// budget bounds the attempts in vain: so many in a period, or fewer if they take longer than
// attemptTime. Waking a goroutine for nothing takes two to three microseconds in all, so this
// is about a tenth of a processor. An attempt that succeeds costs nothing.
type budget struct {
	left  int
	since time.Time
}

const (
	budgetTime     = time.Millisecond
	budgetAttempts = 32
	attemptTime    = 3 * time.Microsecond
)

func (b *budget) take(now time.Time) bool {
	if passed := now.Sub(b.since); passed >= budgetTime {
		periods := int(min(passed/budgetTime, time.Second/budgetTime))
		b.left, b.since = min(b.left+periods*budgetAttempts, budgetAttempts), now
	}
	if b.left <= 0 {
		return false
	}
	b.left--
	return true
}

func (b *budget) giveBack() { b.left = min(b.left+1, budgetAttempts) }
