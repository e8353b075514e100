package watch

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
// The Watcher then expects it again if the mailbox was processed (Processed), and otherwise
// when Expect is called. A signal that came before is still readable, so none is missed.

// shardSize is the number of sockets for which one thread waits. The time of a call of
// WSAPoll grows with that number.
const shardSize = 256

// Watcher waits for the signals of one socket.
type Watcher struct {
	target   Target
	fd       int
	shard    *shard
	at       int         // the place in shard.items, if expected
	expected atomic.Bool // changed with shard.mu held
	closed   bool        // guarded by shard.mu
}

// shard is a thread that waits for the sockets that are expected.
type shard struct {
	waker libzmq.Waker
	size  int // sockets, expected or not; guarded by shards

	mu      sync.Mutex
	items   []libzmq.PollItem // the first is the waker
	members []*Watcher        // those of the items
	polling bool              // the thread waits, for a copy of the items
	woken   bool
	ended   bool
}

var shards struct {
	sync.Mutex
	all []*shard
}

// New starts to wait for a descriptor of libzmq, by a duplicate. On Windows there are no edges.
func New(fd int, _ bool, target Target) (*Watcher, error) {
	own, err := duplicate(fd)
	if err != nil {
		return nil, err
	}
	shards.Lock()
	defer shards.Unlock()
	i := slices.IndexFunc(shards.all, func(h *shard) bool { return h.size < shardSize })
	if i < 0 {
		waker, rc := libzmq.OpenWaker()
		if rc < 0 {
			libzmq.CloseFD(own)
			return nil, fault.New(syscall.Errno(-rc), "no socket is left to wait with; close some sockets")
		}
		h := &shard{waker: waker, items: []libzmq.PollItem{{FD: int(waker), Events: libzmq.PollIn}}, members: []*Watcher{nil}}
		i = len(shards.all)
		shards.all = append(shards.all, h)
		go h.run()
	}
	h := shards.all[i]
	h.size++
	w := &Watcher{target: target, fd: own, shard: h}
	w.Expect()
	return w, nil
}

// FD returns the duplicate, which belongs to the Watcher.
func (w *Watcher) FD() int { return w.fd }

// Close ends the waiting and closes the duplicate. A call of the Target may be under way.
func (w *Watcher) Close() {
	h := w.shard
	shards.Lock()
	defer shards.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.drop(w)
	w.closed = true
	if h.size--; h.size == 0 {
		shards.all = slices.DeleteFunc(shards.all, func(other *shard) bool { return other == h })
		h.ended = true
	}
	h.wake()
	libzmq.CloseFD(w.fd)
}

// Expect makes the Watcher report the next signal after an Ignored one, unless it does already.
func (w *Watcher) Expect() {
	if w.expected.Load() {
		return
	}
	h := w.shard
	h.mu.Lock()
	defer h.mu.Unlock()
	if w.closed || w.expected.Load() {
		return
	}
	w.at = len(h.items)
	h.items = append(h.items, libzmq.PollItem{FD: w.fd, Events: libzmq.PollIn})
	h.members = append(h.members, w)
	w.expected.Store(true)
	h.wake()
}

// drop ends the expecting, and reports whether w was expected. h.mu is held.
func (h *shard) drop(w *Watcher) bool {
	if !w.expected.Swap(false) {
		return false
	}
	last := len(h.items) - 1
	h.items[w.at], h.members[w.at] = h.items[last], h.members[last]
	h.members[w.at].at = w.at
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
	var members, ready []*Watcher
	for h.begin(&items, &members) {
		if libzmq.PollFDs(items, true) < 0 {
			time.Sleep(time.Millisecond) // no memory, or a socket that was closed
		}
		ready = h.ready(items, members, ready[:0])
		for _, w := range ready {
			w.report()
		}
		clear(members)
		clear(ready)
	}
	h.waker.Close()
}

// begin copies what to wait for, and reports whether there is anything.
func (h *shard) begin(items *[]libzmq.PollItem, members *[]*Watcher) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	*items = append((*items)[:0], h.items...)
	*members = append((*members)[:0], h.members...)
	h.polling = true
	return !h.ended
}

// ready appends the sockets that are readable, which are no longer expected.
func (h *shard) ready(items []libzmq.PollItem, members, ready []*Watcher) []*Watcher {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.polling = false
	if h.woken {
		h.woken = false
		h.waker.Clear()
	}
	for i, w := range members {
		if w != nil && items[i].Revents != 0 && h.drop(w) {
			ready = append(ready, w)
		}
	}
	return ready
}

// report tells the Target of a signal. A socket whose lock is taken must not hold up the others.
func (w *Watcher) report() {
	if outcome := w.target.Signaled(w, false); outcome != Busy {
		w.after(outcome)
		return
	}
	go func() { w.after(w.target.Signaled(w, true)) }()
}

func (w *Watcher) after(outcome Outcome) {
	if outcome == Processed {
		w.Expect()
	}
}
