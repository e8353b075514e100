package poller

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/readiness"
	"github.com/go-zmq/go-zmq/zmq"
)

// Events is a set of what a socket or descriptor can be ready for.
type Events uint8

// What can be waited for, joined with |. For a socket only In and Out have a meaning,
// and Out is libzmq's ZMQ_POLLOUT: ROUTER, PUB, XPUB, XSUB and STREAM report it at all
// times, even while a send to one of their peers would have to wait.
const (
	In  = Events(readiness.In)  // something can be received, or read: ZMQ_POLLIN
	Out = Events(readiness.Out) // something can be sent, or written: ZMQ_POLLOUT
	Err = Events(readiness.Err) // a descriptor's error or hang-up, reported even when not asked for: ZMQ_POLLERR
	Pri = Events(readiness.Pri) // a descriptor's urgent data: ZMQ_POLLPRI
)

var eventNames = []struct {
	event Events
	name  string
}{{In, "In"}, {Out, "Out"}, {Err, "Err"}, {Pri, "Pri"}}

// String returns the names of the events, such as "In|Out".
func (e Events) String() string {
	var names []string
	for _, n := range eventNames {
		if e&n.event != 0 {
			names = append(names, n.name)
		}
		e &^= n.event
	}
	if e != 0 || len(names) == 0 {
		names = append(names, strconv.Itoa(int(e)))
	}
	return strings.Join(names, "|")
}

// Event says that a socket or a descriptor is ready.
type Event struct {
	Socket *zmq.Socket // nil for a descriptor
	FD     uintptr     // of no meaning for a socket
	Events Events      // what it is ready for, of what was asked for
}

// Poller waits for sockets and file descriptors. Poll and Wait are for one goroutine
// at a time; all other methods may be called by any goroutine at any time, also while
// one waits. Make one with [New] and close it with Close. It holds one descriptor of
// the system's, whatever it waits for, or two where zmq_poll does the kernel's part.
type Poller struct {
	set *readiness.Set

	mu       sync.Mutex
	sockets  map[*zmq.Socket]*entry
	fds      map[uintptr]*entry
	slots    []*entry // by the index in their key
	free     []uint32 // indexes of empty slots
	queue    []*entry // the sockets to look at
	stopped  int      // sockets whose context was shut down
	gone     bool     // some have been since the last Poll, and may be closed by now
	closed   bool
	polling  bool // a goroutine is in Poll or Wait
	sleeping bool // it is to be woken
	wake     bool // Wake was called

	ready chan struct{} // what wakes it
	timer *time.Timer

	// The polling goroutine's.
	round   uint64
	looking []look
	found   []readiness.Ready
	events  []Event
	sources []*entry // of the events
}

// An entry is a socket or a descriptor in a Poller. The Poller's mutex guards it.
type entry struct {
	poller     *Poller
	socket     *zmq.Socket // nil: a descriptor
	core       *core.Socket
	fd         int
	index      uint32
	generation uint32
	interest   Events
	handler    Handler // a Reactor's
	queued     bool    // in the queue
	stopped    bool
	gone       bool // removed

	round uint64 // in which a descriptor was reported last, and where
	at    int
}

// New makes a Poller. It fails when the process has no descriptor left. epoll_create,
// kqueue.
func New() (*Poller, error) {
	p := &Poller{
		sockets: map[*zmq.Socket]*entry{}, fds: map[uintptr]*entry{},
		ready: make(chan struct{}, 1), timer: time.NewTimer(time.Hour),
	}
	p.timer.Stop()
	set, err := readiness.Open(p.notified)
	if err != nil {
		return nil, core.WrapError("poller new", err)
	}
	p.set = set
	return p, nil
}

// unmade reports whether the Poller is nil or a zero value.
func (p *Poller) unmade() bool { return p == nil || p.set == nil }

// Len returns the number of sockets and descriptors that the Poller has. zmq_poller_size.
func (p *Poller) Len() int {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.sockets) + len(p.fds)
}

// Close frees the Poller. A Poll or Wait under way, and whatever is called later,
// returns zmq.ErrClosed; the sockets stay open. It does not wait. Further calls do
// nothing. zmq_poller_destroy.
func (p *Poller) Close() error {
	if p.unmade() {
		return nil
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	p.wakeUp()
	// A socket that is closed meanwhile takes itself out.
	sockets := make([]look, 0, len(p.sockets))
	for _, e := range p.sockets {
		sockets = append(sockets, look{entry: e, core: e.core})
	}
	clear(p.fds)
	p.mu.Unlock()
	for _, s := range sockets {
		s.core.Unobserve(s.entry)
	}
	// Not under the mutex: it waits for notified, which takes it.
	return core.WrapError("poller close", p.set.Close())
}

// enqueue makes the next Poll look at a socket. p.mu is held.
func (p *Poller) enqueue(e *entry) {
	if !e.queued && !e.stopped && !e.gone {
		e.queued = true
		if len(p.queue) > 2*len(p.sockets)+cap(p.looking)+64 { // those that are gone, of Adds and Removes without a Poll
			p.queue = slices.DeleteFunc(p.queue, func(q *entry) bool { return q.gone })
		}
		p.queue = append(p.queue, e)
	}
}

// look is a look at a socket: what for, and what it is ready for.
type look struct {
	entry     *entry
	core      *core.Socket
	want, has int
}

// wakeUp wakes the polling goroutine if it sleeps. p.mu is held.
func (p *Poller) wakeUp() {
	if p.sleeping {
		p.sleeping = false
		p.ready <- struct{}{}
	}
}

// notified is called when a descriptor became ready.
func (p *Poller) notified() {
	p.mu.Lock()
	p.wakeUp()
	p.mu.Unlock()
}

// Wake makes the Poll or Wait under way return at once with what is ready, perhaps
// nothing, or the next one if none is under way. It does not wait.
func (p *Poller) Wake() error {
	if p.unmade() {
		return errClosed("wake")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed("wake")
	}
	p.wake = true
	p.wakeUp()
	return nil
}

// take gives an entry a place, and with it the key by which the kernel knows it.
// p.mu is held.
func (p *Poller) take(e *entry) {
	if n := len(p.free); n > 0 {
		e.index = p.free[n-1]
		p.free = p.free[:n-1]
		e.generation = p.slots[e.index].generation + 1
		p.slots[e.index] = e
		return
	}
	e.index = uint32(len(p.slots))
	p.slots = append(p.slots, e)
}

func (e *entry) key() uint64 { return uint64(e.generation)<<32 | uint64(e.index) }

// at returns the entry that a key belongs to, or nil if that was removed.
func (p *Poller) at(key uint64) *entry {
	if i := int(uint32(key)); i < len(p.slots) {
		if e := p.slots[i]; e.key() == key && !e.gone {
			return e
		}
	}
	return nil
}

// drop takes an entry out. p.mu is held.
func (p *Poller) drop(e *entry) {
	e.gone = true
	if e.stopped {
		e.stopped = false
		p.stopped--
	}
	if !p.closed {
		p.set.Remove(e.fd)
	}
	p.free = append(p.free, e.index)
	if e.socket != nil {
		delete(p.sockets, e.socket)
	} else {
		delete(p.fds, uintptr(e.fd))
	}
	// The slot keeps the entry for its generation, and not what it stood for. The
	// queue is cleared of it by the next Poll.
	e.socket, e.core, e.handler = nil, nil, nil
}
