package pool

import (
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A shelf holds the idle buffers that one processor uses, without contention: sync.Pool
// returns the handle that this processor used last. The mutex is for the rare calls that
// look at all shelves.
type shelf struct {
	mu      sync.Mutex
	lists   [maxClasses]list
	counted [maxClasses]int // buffers of each list that p.idle counts, or more
	gets    [maxClasses]int64
	handle  *handle // while the shelf is not in the sync.Pool
}

// A handle stands for a shelf in the sync.Pool. When the garbage collector drops the
// handle, the shelf's buffers return to their classes.
type handle struct{ shelf *shelf }

// open locks a shelf for the caller until done.
func (p *Pool) open() (*shelf, error) {
	h, _ := p.shelves.Get().(*handle)
	if h == nil {
		h = p.newShelf()
	}
	s := h.shelf
	s.mu.Lock()
	if p.closed.Load() {
		s.mu.Unlock()
		return nil, errClosed
	}
	s.handle = h
	return s, nil
}

func (p *Pool) done(s *shelf) {
	h := s.handle
	s.handle = nil
	s.mu.Unlock()
	p.shelves.Put(h)
}

func (p *Pool) newShelf() *handle {
	s := &shelf{}
	h := &handle{s}
	p.mu.Lock()
	p.all[s] = struct{}{}
	p.mu.Unlock()
	runtime.AddCleanup(h, p.retire, s)
	return h
}

// retire takes the buffers of a shelf whose handle was garbage collected.
func (p *Pool) retire(s *shelf) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range p.classes {
		p.idle.Add(-int64(s.counted[i] * p.classes[i].size))
		s.counted[i] = 0
		p.keep(i, &s.lists[i])
		p.gone[i] += s.gets[i]
	}
	delete(p.all, s)
}

func (p *Pool) snapshot() []*shelf {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]*shelf, 0, len(p.all))
	for s := range p.all {
		all = append(all, s)
	}
	return all
}

// shelfBytes is how much memory of one class a shelf keeps; it keeps at least one buffer.
// 1 MiB is half of the second-level cache of the processors in BENCHMARKS.md. Further
// buffers are in the class, behind a mutex.
const shelfBytes = 1 << 20

func (p *Pool) room(i int) int {
	size := p.classes[i].size
	return max(int(min(shelfBytes, p.maxIdle/8))/size, 1)
}

// allowed returns how many more buffers of a class may be idle.
func (p *Pool) allowed(i int) int {
	return int(max(p.maxIdle-p.idle.Load(), 0) / int64(p.classes[i].size))
}

// reserve counts up to n more buffers of a class as idle and returns their number. It is
// as many as the limit allows, or 0 if that is less than least. Several goroutines
// together stay within the limit.
func (p *Pool) reserve(i, n, least int) int {
	size := int64(p.classes[i].size)
	for {
		idle := p.idle.Load()
		k := min(int64(n), (p.maxIdle-idle)/size)
		if k < int64(max(least, 1)) {
			return 0
		}
		if p.idle.CompareAndSwap(idle, idle+k*size) {
			return int(k)
		}
	}
}

// refill returns a buffer and puts more on the shelf, or returns nil without memory. It
// takes them from the returned buffers, the shelf, the idle ones of the class, another
// shelf, or new memory, in this order. s.mu is held.
func (p *Pool) refill(s *shelf, i int) *libzmq.Buffer {
	c, l := &p.classes[i], &s.lists[i]
	back := c.collect()
	p.debug.returned(back.first)
	if back.n == 0 {
		if b := l.pop(); b != nil {
			return b
		}
		c.mu.Lock()
		n := min(c.idle.n, p.room(i)/2+1)
		c.idle.move(&back, n)
		c.mu.Unlock()
		p.idle.Add(-int64(n * c.size))
	}
	if back.n == 0 {
		p.steal(s, i, &back)
	}
	if back.n == 0 {
		p.makeRoom(s, i)
		if back = p.allocate(i, p.freshAtOnce(i)); back.n == 0 {
			return nil
		}
		c.misses.Add(1)
	}
	b := back.pop()
	want := min(p.room(i), l.n+back.n)
	if more := want - s.counted[i]; more > 0 {
		s.counted[i] += p.reserve(i, more, 0)
	} else {
		s.counted[i] = want
		p.idle.Add(int64(more * c.size))
	}
	if l.n == 0 && back.n <= s.counted[i] {
		*l, back = back, list{} // the whole list, without touching each buffer again
	} else {
		back.move(l, s.counted[i]-l.n)
	}
	p.keep(i, &back)
	return b
}

// steal takes half of another shelf's buffers of a class, because the goroutine that left
// them there may run on this processor now. It does not block. s.mu is held.
func (p *Pool) steal(s *shelf, i int, to *list) {
	if !p.mu.TryLock() {
		return
	}
	defer p.mu.Unlock()
	for other := range p.all {
		if other == s || !other.mu.TryLock() {
			continue
		}
		l := &other.lists[i]
		l.move(to, (l.n+1)/2)
		if to.n > 0 {
			p.idle.Add(-int64((other.counted[i] - l.n) * p.classes[i].size))
			other.counted[i] = l.n
		}
		other.mu.Unlock()
		if to.n > 0 {
			return
		}
	}
}

// makeRoom frees idle buffers of other classes, the largest first, if there is no room for
// another idle buffer of this class. Without it, a size that is no longer used could keep
// the others out of the pool. It waits for no other shelf. s.mu is held.
func (p *Pool) makeRoom(s *shelf, i int) {
	need := int64(p.classes[i].size) - (p.maxIdle - p.idle.Load())
	if need <= 0 {
		return
	}
	for j := len(p.classes) - 1; j >= 0 && need > 0; j-- {
		if j == i {
			continue
		}
		c := &p.classes[j]
		size := int64(c.size)
		c.mu.Lock()
		var surplus list
		c.idle.move(&surplus, max(int((need+size-1)/size), c.idle.n/8))
		c.mu.Unlock()
		need -= int64(surplus.n) * size
		p.idle.Add(-int64(surplus.n) * size)
		p.release(j, &surplus)
	}
	need -= p.clearOthers(s, i, need)
	if need <= 0 || !p.mu.TryLock() {
		return
	}
	defer p.mu.Unlock()
	for other := range p.all {
		if need > 0 && other != s && other.mu.TryLock() {
			need -= p.clearOthers(other, i, need)
			other.mu.Unlock()
		}
	}
}

// clearOthers frees the buffers and places of other classes on a shelf, the largest first,
// until there are need bytes of room. It returns how many bytes it freed. The shelf's mutex
// is held.
func (p *Pool) clearOthers(s *shelf, i int, need int64) (made int64) {
	for j := len(p.classes) - 1; j >= 0 && made < need; j-- {
		if j != i {
			made += p.clearClass(s, j)
		}
	}
	return made
}

// shelve puts an unsent buffer on a shelf. s.mu is held.
func (p *Pool) shelve(s *shelf, b *libzmq.Buffer) {
	i := int(b.Tag)
	l := &s.lists[i]
	p.classes[i].returned.Add(1)
	if l.n < s.counted[i] { // its place is reserved already
		l.push(b)
		return
	}
	if l.n < p.room(i) && p.reserve(i, 1, 1) == 1 {
		s.counted[i]++
		l.push(b)
		return
	}
	one := list{}
	one.push(b)
	p.keep(i, &one)
}

// keep moves buffers to the idle ones of their class and frees those beyond the limit.
func (p *Pool) keep(i int, l *list) {
	if l.n == 0 {
		return
	}
	c := &p.classes[i]
	c.mu.Lock()
	n := 0
	if !p.closed.Load() {
		n = p.reserve(i, l.n, 0)
	}
	l.move(&c.idle, n)
	c.mu.Unlock()
	p.release(i, l)
}

// release frees buffers.
func (p *Pool) release(i int, l *list) {
	if l.n > 0 {
		p.live.Add(-int64(l.n * p.classes[i].size))
		p.debug.forget(l.first)
		l.free()
	}
}

// clear frees the buffers on a shelf. s.mu is held.
func (p *Pool) clear(s *shelf) {
	for i := range p.classes {
		p.clearClass(s, i)
	}
}

// clearClass frees the buffers and places of one class on a shelf, and returns how many
// bytes it freed. s.mu is held.
func (p *Pool) clearClass(s *shelf, i int) int64 {
	bytes := int64(s.counted[i] * p.classes[i].size)
	p.idle.Add(-bytes)
	s.counted[i] = 0
	p.release(i, &s.lists[i])
	return bytes
}

// collectAll collects the returned buffers of a class and keeps at most limit idle ones in
// the class.
func (p *Pool) collectAll(i, limit int) {
	c := &p.classes[i]
	back := c.collect()
	p.debug.returned(back.first)
	p.keep(i, &back)
	c.mu.Lock()
	var surplus list
	c.idle.move(&surplus, c.idle.n-limit)
	c.mu.Unlock()
	p.idle.Add(-int64(surplus.n * c.size))
	p.release(i, &surplus)
}

// freshAtOnce is how many buffers are allocated by one call into C: as many as fit into 16
// KiB, and an eighth of those that exist, up to 4 MiB, so that a growing pool reaches its
// size in a few steps. Memory without writes takes no room.
func (p *Pool) freshAtOnce(i int) int {
	c := &p.classes[i]
	if c.home == nil {
		return 0
	}
	n := max((16<<10)/c.size, min(c.home.Live()/8, (4<<20)/c.size))
	return max(min(n, 64, p.allowed(i)), 1)
}

// allocate returns up to n new buffers.
func (p *Pool) allocate(i, n int) (fresh list) {
	c := &p.classes[i]
	if c.home == nil {
		return fresh
	}
	fresh.first = c.home.Alloc(c.size, copyBelow, i, n)
	for b := fresh.first; b != nil; b = b.Next {
		fresh.n++
	}
	p.debug.made(fresh.first)
	if live := p.live.Add(int64(fresh.n * c.size)); live > p.maxIdle {
		p.reapSoon()
	}
	return fresh
}

// reapEvery is how often a pool with more memory than may be idle checks whether it is
// idle. After a burst there may be no further call of Get.
const reapEvery = time.Second

func (p *Pool) reapSoon() {
	p.reapMu.Lock()
	defer p.reapMu.Unlock()
	if p.reap == nil && !p.closed.Load() {
		p.reap = time.AfterFunc(reapEvery, p.reapNow)
	}
}

func (p *Pool) reapNow() {
	for i := range p.classes {
		p.collectAll(i, math.MaxInt)
	}
	p.reapMu.Lock()
	defer p.reapMu.Unlock()
	if p.live.Load() > p.maxIdle && !p.closed.Load() {
		p.reap.Reset(reapEvery)
	} else {
		p.reap = nil
	}
}
