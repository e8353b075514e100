package pool

import (
	"math"
	"time"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// reserve counts up to n more buffers of a class as idle and returns their number. It is
// as many as the limit allows, or 0 if that is less than least. Several goroutines
// together stay within the limit.
func (p *Pool) reserve(c *class, n, least int) int {
	size := int64(c.size)
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

// take returns a buffer, or nil without memory. It takes it from the returned buffers, the
// idle ones of the class, or new memory, in this order. Small buffers that are idle come
// first, because a look at the returned ones costs more than they are worth. c.mu is held.
func (p *Pool) take(i int) *libzmq.Buffer {
	c := &p.classes[i]
	if i < warmFrom || c.home.Empty() {
		if b := p.pop(c); b != nil {
			return b
		}
	}
	back := p.collect(c)
	if back.n == 0 {
		if b := p.pop(c); b != nil {
			return b
		}
		p.makeRoom(i)
		if back = p.allocate(i, p.freshAtOnce(c)); back.n == 0 {
			return nil
		}
		c.misses++
	}
	b := back.pop()
	p.keep(c, &back)
	return b
}

// pop takes an idle buffer of a class, or nil. c.mu is held.
func (p *Pool) pop(c *class) *libzmq.Buffer {
	b := c.idle.pop()
	if b != nil {
		p.idle.Add(-int64(c.size))
	}
	return b
}

// collect returns the buffers that libzmq has returned. c.mu is held.
func (p *Pool) collect(c *class) (back list) {
	back.first = c.home.Take()
	for b := back.first; b != nil; b = b.Next {
		back.n++
	}
	c.returned += int64(back.n)
	p.debug.returned(back.first)
	return back
}

// keep moves buffers to the idle ones of their class and frees those beyond the limit.
// c.mu is held.
func (p *Pool) keep(c *class, l *list) {
	if l.n == 0 {
		return
	}
	n := 0
	if !p.closed.Load() {
		n = p.reserve(c, l.n, 0)
	}
	if c.idle.n == 0 && n == l.n {
		c.idle, *l = *l, list{} // the whole list, without touching each buffer again
		return
	}
	l.move(&c.idle, n)
	p.release(c, l)
}

// free frees up to n idle buffers of a class. c.mu is held.
func (p *Pool) free(c *class, n int) {
	var surplus list
	c.idle.move(&surplus, n)
	p.idle.Add(-int64(surplus.n * c.size))
	p.release(c, &surplus)
}

// release frees buffers that do not count as idle.
func (p *Pool) release(c *class, l *list) {
	if l.n > 0 {
		p.live.Add(-int64(l.n * c.size))
		p.debug.forget(l.first)
		l.free()
	}
}

// makeRoom frees idle buffers of other classes, the largest first, if there is no room for
// another idle buffer of this class. Without it, a size that is no longer used could keep
// the others out of the pool. It waits for no other class. The mutex of class i is held.
func (p *Pool) makeRoom(i int) {
	for j := len(p.classes) - 1; j >= 0; j-- {
		need := int64(p.classes[i].size) - (p.maxIdle - p.idle.Load())
		if need <= 0 {
			return
		}
		if c := &p.classes[j]; j != i && c.mu.TryLock() {
			size := int64(c.size)
			p.free(c, max(int((need+size-1)/size), c.idle.n/8))
			c.mu.Unlock()
		}
	}
}

// collectAll collects the returned buffers of a class and keeps at most limit idle ones.
func (p *Pool) collectAll(c *class, limit int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	back := p.collect(c)
	p.keep(c, &back)
	p.free(c, c.idle.n-limit)
}

// freshAtOnce is how many buffers are allocated by one call into C: as many as fit into 16
// KiB, and an eighth of those that exist, up to 4 MiB, so that a growing pool reaches its
// size in a few steps. Memory without writes takes no room.
func (p *Pool) freshAtOnce(c *class) int {
	n := max((16<<10)/c.size, min(c.home.Live()/8, (4<<20)/c.size))
	mayIdle := max(p.maxIdle-p.idle.Load(), 0) / int64(c.size)
	return max(min(n, 64, int(mayIdle)), 1)
}

// allocate returns up to n new buffers.
func (p *Pool) allocate(i, n int) (fresh list) {
	c := &p.classes[i]
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
	if core.StartNetpoller() != nil {
		return // a timer could end the process; the next allocation tries again
	}
	if p.reaping.CompareAndSwap(false, true) {
		time.AfterFunc(reapEvery, p.reapNow)
	}
}

func (p *Pool) reapNow() {
	for i := range p.classes {
		p.collectAll(&p.classes[i], math.MaxInt)
	}
	p.reaping.Store(false)
	if p.live.Load() > p.maxIdle && !p.closed.Load() {
		p.reapSoon()
	}
}
