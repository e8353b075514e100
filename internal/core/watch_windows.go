package core

import (
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Go's netpoller waits only for sockets that Go has created. On Windows the watchers of many
// sockets therefore share a goroutine that waits in WSAPoll, on a thread of its own.
//
// WSAPoll is level-triggered, and a signal lasts until a call on its socket processes the
// mailbox. So a socket is expected, which means polled, at most until it is readable once.
// The watcher then expects it again if it has processed the mailbox, which it does unless
// no goroutine waits. Otherwise the next goroutine that parks expects it (watch). Both hold
// the socket's lock, and a signal that came before is still readable, so none is missed.

// shardSize is the number of sockets for which one thread waits. The time of a call of
// WSAPoll grows with that number.
const shardSize = 256

// followed is a socket for which a shard waits.
type followed struct {
	s        *Socket
	fd       int
	shard    *shard
	at       int // the place in shard.items, if expected
	expected atomic.Bool
}

// shard is a thread that waits for the sockets that are expected.
type shard struct {
	waker libzmq.Waker
	size  int // sockets, expected or not; guarded by shards

	mu      sync.Mutex
	items   []libzmq.PollItem // the first is the waker
	members []*followed       // those of the items
	polling bool              // the thread waits, for a copy of the items
	woken   bool
	ended   bool
}

var shards struct {
	sync.Mutex
	all []*shard
}

// follow starts to wait for the socket's descriptor, and owns the descriptor.
func (s *Socket) follow(fd int) (*followed, error) {
	shards.Lock()
	defer shards.Unlock()
	i := slices.IndexFunc(shards.all, func(h *shard) bool { return h.size < shardSize })
	if i < 0 {
		waker, rc := libzmq.OpenWaker()
		if rc < 0 {
			libzmq.CloseFD(fd)
			return nil, fault.New(syscall.Errno(-rc), "no socket is left to wait with; close some sockets")
		}
		h := &shard{waker: waker, items: []libzmq.PollItem{{FD: int(waker), Events: libzmq.PollIn}}, members: []*followed{nil}}
		i = len(shards.all)
		shards.all = append(shards.all, h)
		go h.run()
	}
	h := shards.all[i]
	h.size++
	f := &followed{s: s, fd: fd, shard: h}
	f.expect()
	return f, nil
}

// Close stops the waiting and closes the descriptor.
func (f *followed) Close() error {
	h := f.shard
	shards.Lock()
	defer shards.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.drop(f)
	if h.size--; h.size == 0 {
		shards.all = slices.DeleteFunc(shards.all, func(other *shard) bool { return other == h })
		h.ended = true
	}
	h.wake()
	libzmq.CloseFD(f.fd)
	return nil
}

// expect makes the watcher wait for the socket, unless it does already.
func (s *held) expect() {
	if s.fd != nil && !s.fd.expected.Load() {
		s.fd.expect()
	}
}

func (f *followed) expect() {
	h := f.shard
	h.mu.Lock()
	defer h.mu.Unlock()
	f.at = len(h.items)
	h.items = append(h.items, libzmq.PollItem{FD: f.fd, Events: libzmq.PollIn})
	h.members = append(h.members, f)
	f.expected.Store(true)
	h.wake()
}

// drop ends the expecting, and reports whether f was expected. h.mu is held.
func (h *shard) drop(f *followed) bool {
	if !f.expected.Swap(false) {
		return false
	}
	last := len(h.items) - 1
	h.items[f.at], h.members[f.at] = h.items[last], h.members[last]
	h.members[f.at].at = f.at
	h.items, h.members[last] = h.items[:last], nil
	h.members = h.members[:last]
	return true
}

// wake makes the thread begin again, with the current items. h.mu is held.
func (h *shard) wake() {
	if h.polling && !h.woken {
		h.woken = true
		h.waker.Wake()
	}
}

// run waits until the last socket leaves.
func (h *shard) run() {
	var items []libzmq.PollItem
	var members, ready []*followed
	for h.begin(&items, &members) {
		if libzmq.PollFDs(items, true) < 0 {
			time.Sleep(time.Millisecond) // no memory, or a socket that was closed
		}
		ready = h.ready(items, members, ready[:0])
		for _, f := range ready {
			f.report()
		}
		clear(members)
		clear(ready)
	}
	h.waker.Close()
}

// begin copies what to wait for, and reports whether there is anything.
func (h *shard) begin(items *[]libzmq.PollItem, members *[]*followed) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	*items = append((*items)[:0], h.items...)
	*members = append((*members)[:0], h.members...)
	h.polling = true
	return !h.ended
}

// ready appends the sockets that are readable, which are no longer expected.
func (h *shard) ready(items []libzmq.PollItem, members, ready []*followed) []*followed {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.polling = false
	if h.woken {
		h.woken = false
		h.waker.Clear()
	}
	for i, f := range members {
		if f != nil && items[i].Revents != 0 && h.drop(f) {
			ready = append(ready, f)
		}
	}
	return ready
}

// report is the watcher's part for one socket. A socket whose mutex is taken must not hold
// up the others.
func (f *followed) report() {
	if h := f.s.lock.TryLock(); h != nil {
		f.process(h)
		f.s.lock.Unlock()
		return
	}
	go func() {
		f.process(f.s.lock.Lock())
		f.s.lock.Unlock()
	}()
}

// process wakes waiters.
func (f *followed) process(s *held) {
	if s.fd != f {
		return // it was closed, see unwatch
	}
	consumes := s.attends()
	if !s.woken() && consumes && s.state == stateOpen {
		s.expect()
	}
}
