package poller

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/park"
	"github.com/go-zmq/go-zmq/internal/readiness"
	"github.com/go-zmq/go-zmq/zmq"
)

// Events is a set of conditions that a socket or descriptor can be ready for. Combine
// them with |.
type Events uint8

// The conditions to wait for. A socket or descriptor with no events, 0, is paused: it
// stays in the Poller and reports nothing, not even Err, until Update. For a socket, only
// In and Out are meaningful. Out is libzmq's ZMQ_POLLOUT: PUB, XPUB, XSUB, STREAM, ROUTER
// without RouterMandatory, and the draft types RADIO, SERVER and PEER always report it,
// even while a send to one of their peers would block. A ROUTER with RouterMandatory
// reports it while any of its peers has room.
const (
	In  = Events(readiness.In)  // a message can be received, or data read: ZMQ_POLLIN
	Out = Events(readiness.Out) // a message can be sent, or data written: ZMQ_POLLOUT
	Err = Events(readiness.Err) // a descriptor's error or hang-up, reported even if not requested: ZMQ_POLLERR
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

// Event reports that a socket or a descriptor is ready.
type Event struct {
	Socket *zmq.Socket // nil for a descriptor
	FD     uintptr     // the descriptor; undefined for a socket
	Events Events      // the requested events that are ready
}

// Poller waits for sockets and file descriptors. Only one goroutine at a time may call
// Poll or Wait. Any goroutine may call the other methods at any time, even during a Poll
// or Wait. Create one with [New] and close it with Close. It uses one file descriptor, or
// two if it waits with zmq_poll, regardless of the number of sockets.
type Poller struct {
	set *readiness.Set

	mu       sync.Mutex
	entries  map[any]*entry // by *zmq.Socket, or by descriptor
	slots    []*entry       // by the index in the entry's key
	free     []uint32       // indexes of empty slots
	queue    []*entry       // the sockets to look at
	stopped  int            // sockets whose context was shut down
	gone     bool           // such a shutdown happened since the last Poll; its sockets may be closed by now
	closed   bool
	polling  bool // a goroutine is in Poll or Wait
	sleeping bool // that goroutine must be woken
	wake     bool // Wake was called

	ready chan struct{} // wakes the polling goroutine
	spin  park.Spin     // before it parks
	got   uint64        // messages that were received from the sockets since the last wait
	timer *time.Timer

	// Used by the polling goroutine only.
	round   uint64
	looking []look
	found   []readiness.Ready
	events  []Event
	sources []*entry // the entry of each event
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
	handler    Handler // set by a Reactor
	received   uint64  // messages of the socket when it was last looked at
	queued     bool    // in the queue
	stopped    bool
	gone       bool // removed

	round uint64 // the round in which a descriptor was last reported
	at    int    // its index in the events of that round
}

// New creates a Poller. It does not block. It fails if the process has too
// few file descriptors left.
//
// Implements: zmq_poller_new.
func New() (*Poller, error) {
	p := &Poller{
		entries: map[any]*entry{},
		ready:   make(chan struct{}, 1), timer: time.NewTimer(time.Hour),
	}
	p.timer.Stop()
	if err := core.StartNetpoller(); err != nil {
		return nil, wrapError("new", err)
	}
	set, err := readiness.Open(p.notified)
	if err != nil {
		return nil, wrapError("new", err)
	}
	p.set = set
	return p, nil
}

// unmade reports whether the Poller is nil or a zero value.
func (p *Poller) unmade() bool { return p == nil || p.set == nil }

// Len returns the number of sockets and descriptors in the Poller.
//
// Implements: zmq_poller_size.
func (p *Poller) Len() int {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.entries)
}

// Close frees the Poller and does not block. Calls under way and later calls return
// zmq.ErrClosed. The sockets stay open. Further calls of Close do nothing.
//
// Implements: zmq_poller_destroy.
func (p *Poller) Close() error {
	if p.lock("close") != nil {
		return nil
	}
	p.closed = true
	p.wakeUp()
	// A socket that closes during this loop removes itself.
	sockets := make([]look, 0, len(p.entries))
	for key, e := range p.entries {
		if e.socket != nil {
			sockets = append(sockets, look{entry: e, core: e.core})
		} else {
			delete(p.entries, key)
		}
	}
	p.mu.Unlock()
	for _, s := range sockets {
		s.core.Unobserve(s.entry)
	}
	// Not under the mutex: it waits for notified, which takes it.
	return wrapError("close", p.set.Close())
}

// enqueue makes the next Poll look at a socket. p.mu is held.
func (p *Poller) enqueue(e *entry) {
	if !e.queued && !e.stopped && !e.gone {
		e.queued = true
		if len(p.queue) > 2*len(p.entries)+cap(p.looking)+64 { // full of removed sockets: Adds and Removes without a Poll
			p.queue = slices.DeleteFunc(p.queue, func(q *entry) bool { return q.gone })
		}
		p.queue = append(p.queue, e)
	}
}

// look is one look at a socket: the events that are wanted and those that are ready.
type look struct {
	entry     *entry
	core      *core.Socket
	want, has int
	received  uint64
}

// wakeUp wakes the polling goroutine if it sleeps. p.mu is held.
func (p *Poller) wakeUp() {
	if p.sleeping {
		p.sleeping = false
		p.ready <- struct{}{}
	}
}

// notified is called when a descriptor becomes ready.
func (p *Poller) notified() {
	p.mu.Lock()
	p.wakeUp()
	p.mu.Unlock()
}

// Wake makes a Poll or Wait under way return at once with the events that are ready, or
// with none. If there is no call under way, the next one returns at once. Wake does not
// block. It fails with zmq.ErrClosed if the Poller is closed.
func (p *Poller) Wake() error {
	if err := p.lock("wake"); err != nil {
		return err
	}
	defer p.mu.Unlock()
	p.wake = true
	p.wakeUp()
	return nil
}

// take gives an entry a slot, which determines the key that the kernel knows it by.
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

// wanted returns those events of has that the entry reports. A descriptor always reports
// Err, unless it is paused.
func (e *entry) wanted(has Events) Events {
	if e.socket == nil && e.interest != 0 {
		return has & (e.interest | Err)
	}
	return has & e.interest
}

func (e *entry) key() uint64 { return uint64(e.generation)<<32 | uint64(e.index) }

// at returns the entry with a key, or nil if it was removed.
func (p *Poller) at(key uint64) *entry {
	if i := int(uint32(key)); i < len(p.slots) {
		if e := p.slots[i]; e.key() == key && !e.gone {
			return e
		}
	}
	return nil
}

// drop removes an entry. p.mu is held.
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
	var key any = uintptr(e.fd)
	if e.socket != nil {
		key = e.socket
	}
	delete(p.entries, key)
	// The slot keeps the entry for its generation number only. The next Poll removes
	// it from the queue.
	e.socket, e.core, e.handler = nil, nil, nil
}
