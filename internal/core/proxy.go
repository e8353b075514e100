package core

import (
	"context"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Proxy moves messages between two sockets, and copies of them to a third. It is
// for any number of goroutines.
//
// One goroutine, that of Run, does all the work: in each step it locks the sockets,
// and moves in each direction as many messages as there are, up to a limit, in one
// call into C. A direction that cannot go on enters the list of waiters of the
// socket at which it stopped, under the same hold of the locks (R1), and is skipped
// until it is woken. When no direction can go on the goroutine parks. While
// messages keep coming from other processes it naps instead, on its thread and for a
// millisecond at most.
//
// A message that its destination has no room for is put back into the source, among
// the messages that the socket holds (R6): the next receive gets it. So the proxy
// itself holds no message, except a copy for a capture socket that is full.
type Proxy struct {
	front, back, capture *Socket // capture may be nil
	flows                []*flow
	sockets              []*Socket // in the order of locking

	good int     // naps in a row that something was moved after
	need int     // of which so many end the watching by the netpoller; 0: napGood
	idle int     // steps in a row that moved nothing
	naps []int32 // descriptors that it naps on; empty if it does not

	yielded bool          // before the step
	took    time.Duration // that did

	moving sync.Mutex  // held during a step, which counts at its end
	halted atomic.Bool // paused or terminated: no step may begin

	mu      sync.Mutex // guards what follows
	state   proxyState
	changed chan struct{} // closed, and replaced, when state changes
}

type proxyState struct{ running, paused, terminated bool }

// A flow is one direction of a proxy.
type flow struct {
	src, dst *Socket
	w        *waiter
	list     *waiterList // where w waits; nil while the flow can go on
	stop     stop        // where its last pump ended
	token    bool        // w's token was taken by the sleep
	poll     bool        // no wake-up is certain: look again after a while

	owed  []libzmq.Msg // a copy that the capture socket had no room for
	owing int          // its parts

	sent, dropped Traffic // guarded by the proxy's moving
}

// A ProxyEnd is an error that ended a proxy, and at which of its sockets.
type ProxyEnd struct {
	Role string // "frontend", "backend" or "capture"
	Err  error
}

func (e *ProxyEnd) Error() string { return e.Role + ": " + e.Err.Error() }

// Unwrap returns what the socket failed with.
func (e *ProxyEnd) Unwrap() error { return e.Err }

var (
	errProxyRuns = &Fault{libzmq.EFSM, "the proxy runs already; wait for its end, or make another one"}
	errProxyEnd  = &Fault{libzmq.EFSM, "the proxy was terminated; make another one"}
	errHalfRead  = &Fault{libzmq.EFSM, "a message was received in part; receive the rest of it first"}
	errSameTwice = &Fault{syscall.EINVAL, "the capture socket is the frontend or the backend; give the proxy a third socket"}
	errProxyUDP  = &Fault{syscall.ENOTSUP, "a proxy sends no datagrams, since libzmq writes beyond its buffer for those that are too long; receive and send them yourself"}
	errProxyOne  = &Fault{syscall.ENOTSUP, "a proxy hands on messages of several parts, and a socket with Conflate would tear them; use one without"}
	errCapture   = &Fault{syscall.ENOTSUP, "the capture socket's type cannot send one message after the other; use a PUB, PUSH, DEALER or PAIR"}
)

// NewProxy makes a proxy between two sockets, which may be one: then its messages go
// back where they came from. capture may be nil.
func NewProxy(front, back, capture *Socket) (*Proxy, error) {
	p := &Proxy{front: front, back: back, capture: capture, changed: make(chan struct{})}
	switch {
	case capture == nil:
	case capture == front || capture == back:
		return nil, errSameTwice
	case !canSend(capture.typ) || lockStep(capture.typ):
		return nil, errCapture
	case capture.conflates.Load():
		return nil, errProxyOne
	}
	if canReceive(front.typ) && canSend(back.typ) {
		p.flows = append(p.flows, &flow{src: front, dst: back})
	}
	if front != back && canReceive(back.typ) && canSend(front.typ) {
		p.flows = append(p.flows, &flow{src: back, dst: front})
	}
	if len(p.flows) == 0 {
		return nil, &Fault{syscall.ENOTSUP, "a " + TypeName(front.typ) + " and a " + TypeName(back.typ) +
			" have nothing to give each other; one must be able to receive and the other to send"}
	}
	for _, f := range p.flows {
		if f.dst.conflates.Load() {
			return nil, errProxyOne
		}
	}
	for _, s := range []*Socket{front, back} {
		s.bypass()
	}
	p.sockets = inLockOrder(front, back, capture)
	return p, nil
}

// Pause stops the flow. When it returns, nothing moves.
func (p *Proxy) Pause() error {
	return p.change(func(s *proxyState) { s.paused = true })
}

// Resume ends a pause.
func (p *Proxy) Resume() error {
	return p.change(func(s *proxyState) { s.paused = false })
}

// Terminate ends the proxy for good. When it returns, nothing moves.
func (p *Proxy) Terminate() {
	// A proxy that was terminated before is what the caller wants.
	_ = p.change(func(s *proxyState) { s.terminated = true })
}

func (p *Proxy) change(set func(*proxyState)) error {
	p.mu.Lock()
	if p.state.terminated {
		p.mu.Unlock()
		return errProxyEnd
	}
	set(&p.state)
	p.halted.Store(p.state.paused || p.state.terminated)
	close(p.changed)
	p.changed = make(chan struct{})
	p.mu.Unlock()
	// The step under way, if there is one, is the last that did not know.
	p.moving.Lock()
	defer p.moving.Unlock()
	return nil
}

func (p *Proxy) look() (proxyState, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state, p.changed
}

// Counts returns what went from front to back and from back to front, and of each
// the messages that were received and could not be delivered.
func (p *Proxy) Counts() (forth, dropForth, returned, dropReturned Traffic) {
	p.moving.Lock() // a message that a peer has received is counted then
	defer p.moving.Unlock()
	for _, f := range p.flows {
		if f.src == p.front {
			forth, dropForth = f.sent, f.dropped
		} else {
			returned, dropReturned = f.sent, f.dropped
		}
	}
	return forth, dropForth, returned, dropReturned
}

// Run moves messages until ctx ends, the proxy is terminated, which is no error, or a
// socket fails.
func (p *Proxy) Run(ctx context.Context) error {
	if err := p.begin(); err != nil {
		return err
	}
	err := p.run(ctx)
	p.leave()
	p.settle()
	for _, f := range p.flows {
		waiters.Put(f.w)
		f.w = nil
	}
	p.mu.Lock()
	p.state.running = false
	p.mu.Unlock()
	return err
}

func (p *Proxy) begin() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state.running {
		return errProxyRuns
	}
	lockAll(p.sockets)
	defer unlockAll(p.sockets)
	for _, f := range p.flows {
		if f.src.state == stateOpen && f.src.in.pending() > 0 && f.src.in.more {
			return p.ended(f.src, errHalfRead)
		}
	}
	for _, f := range p.flows {
		f.w = waiters.Get().(*waiter)
		f.dst.sent, f.dst.multipart = true, true // it may lose one that is not counted
		if f.dst.raw {
			f.dst.attend()
		}
	}
	if err := p.mayNap(); err != nil {
		return err
	}
	if p.capture != nil {
		p.capture.sent, p.capture.multipart = true, true
	}
	p.state.running = true
	return nil
}

func (p *Proxy) run(ctx context.Context) error {
	b := bed{done: ctx.Done(), timer: p.flows[0].w.timer}
	for i, s := range p.sockets {
		b.ended[i] = s.Done()
	}
	for {
		var state proxyState
		state, b.changed = p.look()
		if state.terminated {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if state.paused {
			p.leave()
			if err := p.failed(); err != nil {
				return err
			}
			b.sleep(p.flows)
			continue
		}
		moved, parked, err := p.step()
		if p.yielded && !moved && YieldedInVain(p.took) {
			p.idle = proxyLooks - 1
		}
		p.yielded = false
		switch {
		case err != nil:
			return err
		case parked:
			b.sleep(p.flows)
		case !moved:
			p.nap()
		case len(p.naps) > 0:
			p.warm()
		}
	}
}

// proxyNap is how long a proxy that has just moved something holds its thread while it
// waits for more, in milliseconds.
const proxyNap = 1

// mayNap finds out what to nap on. Over inproc the others are goroutines of this process,
// as a rule, which want the thread. The sockets are locked.
func (p *Proxy) mayNap() error {
	p.naps, p.idle, p.good = p.naps[:0], 0, 0
	for _, f := range p.flows {
		s := f.src
		if !s.far || !s.pollable || s.state != stateOpen {
			p.naps = p.naps[:0]
			return nil
		}
		fd, err := s.signalFD()
		if err != nil {
			return p.ended(s, err)
		}
		p.naps = append(p.naps, int32(fd))
	}
	return nil
}

// warm ends the watching of the sockets by Go's netpoller when naps have done instead
// for a while: it would wake a goroutine for every signal, for nothing.
func (p *Proxy) warm() {
	if p.good < max(p.need, napGood) {
		return
	}
	p.good, p.need = 0, min(4*max(p.need, napGood), napNeed)
	for _, s := range p.sockets {
		s.mu.Lock()
		file := s.unwatch()
		s.mu.Unlock()
		if file != nil {
			file.Close() // it waits for the watcher, which waits for s.mu
		}
	}
}

// nap waits on its own thread for a command to one of the sources, and not for long: the
// kernel wakes a thread sooner than Go's netpoller wakes a goroutine. Through two TCP
// hops a request and its reply took 0.65 of the time without naps, 100 under way 0.89.
// Nothing relies on it. Another goroutine may use up a signal, and a descriptor may be
// closed or reused during the nap. The look that follows notices all that, and the flows
// park if it finds nothing.
func (p *Proxy) nap() {
	giveWay := len(p.naps) == 0
	for _, f := range p.flows {
		giveWay = giveWay || f.list != nil
	}
	if giveWay {
		p.took, p.yielded = Yield(), true
		return
	}
	if libzmq.Nap(p.naps, proxyNap) {
		p.idle = proxyLooks - 1
	}
}

// failed returns why a socket cannot be used any more, if there is one.
func (p *Proxy) failed() error {
	for _, s := range p.sockets {
		if err := s.Err(); err != nil {
			return p.ended(s, err)
		}
	}
	return nil
}

func (p *Proxy) ended(s *Socket, err error) error {
	role := "capture"
	switch s {
	case p.front:
		role = "frontend"
	case p.back:
		role = "backend"
	}
	return &ProxyEnd{role, err}
}

// A bed is where a proxy's goroutine sleeps, and what wakes it.
type bed struct {
	done    <-chan struct{}
	changed <-chan struct{}
	ended   [3]<-chan struct{}
	timer   *time.Timer
	pause   time.Duration
}

// sleep parks the goroutine until a flow is woken, or must look again, or something
// happens to the proxy. No mutex is held.
func (b *bed) sleep(flows []*flow) {
	var ready [2]chan struct{}
	var expired <-chan time.Time
	for i, f := range flows {
		if f.list != nil {
			ready[i] = f.w.ready
		}
		if f.poll && expired == nil {
			b.pause = min(max(2*b.pause, time.Millisecond), 10*time.Millisecond)
			b.timer.Reset(b.pause)
			defer b.timer.Stop()
			expired = b.timer.C
		}
	}
	if expired == nil {
		b.pause = 0
	}
	select {
	case <-ready[0]:
		flows[0].token = true
	case <-ready[1]:
		flows[1].token = true
	case <-b.changed:
	case <-b.done:
	case <-expired:
	case <-b.ended[0]:
	case <-b.ended[1]:
	case <-b.ended[2]:
	}
}
