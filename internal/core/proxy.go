package core

import (
	"context"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Proxy moves messages between two sockets, and copies of them to a third. Any number of
// goroutines may use it.
//
// One goroutine, that of Run, does all the work. In each step it locks the sockets. Then
// it moves the available messages in each direction, up to a limit, in one call into C. A
// direction that cannot continue enters the list of waiters of the socket at which it
// stopped, under the same hold of the locks (R1). It is skipped until it is woken. When
// no direction can continue, the goroutine spins for a short time, as a receiver does
// (spin.go), and parks.
//
// If the destination has no room for a message, the message is put back into the source,
// among the messages that the socket holds (R6). The next receive gets it. So the proxy
// itself holds no message, except a copy for a capture socket that is full.
type Proxy struct {
	front, back, capture *Socket // capture may be nil
	flows                []*flow
	sockets              []*Socket // in the order of locks

	spin Spin
	got  uint64 // messages moved since the last wait

	moving sync.Mutex  // held during a step, which counts at its end
	halted atomic.Bool // paused or terminated: no step may begin

	mu      sync.Mutex // guards the fields below
	state   proxyState
	changed chan struct{} // closed, and replaced, when state changes
}

type proxyState struct{ running, paused, terminated bool }

// flow is one direction of a proxy.
type flow struct {
	src, dst *Socket
	w        *waiter
	list     *waiterList // list in which w waits; nil while the flow can continue
	stop     stop        // where the last pump ended
	token    bool        // sleep has received w's token
	poll     bool        // a wake-up is not certain: try again after a while

	owed  []libzmq.Msg // a copy for which the capture socket had no room
	owing int          // the number of its parts

	sent, dropped Traffic // guarded by the proxy's moving
}

// ProxyEnd is an error that ended a proxy and the role of the socket that failed.
type ProxyEnd struct {
	Role string // "frontend", "backend" or "capture"
	Err  error
}

func (e *ProxyEnd) Error() string { return e.Role + ": " + e.Err.Error() }

// Unwrap returns the error of the socket.
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

// NewProxy creates a proxy between two sockets. front and back may be the same socket,
// and its messages then go back to their senders. capture may be nil.
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

// Pause stops the flow. After it returns, no message moves.
func (p *Proxy) Pause() error {
	return p.change(func(s *proxyState) { s.paused = true })
}

// Resume ends a pause.
func (p *Proxy) Resume() error {
	return p.change(func(s *proxyState) { s.paused = false })
}

// Terminate ends the proxy for good. After it returns, no message moves.
func (p *Proxy) Terminate() {
	// The error says that the proxy was terminated before, and the caller wants that.
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
	// A step that is in progress did not see the change. Wait for its end.
	p.moving.Lock()
	defer p.moving.Unlock()
	return nil
}

func (p *Proxy) look() (proxyState, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state, p.changed
}

// Counts returns the traffic from front to back and from back to front. For each
// direction it also returns the messages that were received but could not be delivered.
func (p *Proxy) Counts() (forth, dropForth, returned, dropReturned Traffic) {
	p.moving.Lock() // so a message that a peer has received is counted
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

// Run moves messages until ctx ends, the proxy is terminated, or a socket fails.
// Termination is not an error.
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
	p.got = 0
	if p.capture != nil {
		p.capture.sent, p.capture.multipart = true, true
	}
	p.state.running = true
	return nil
}

func (p *Proxy) run(ctx context.Context) error {
	defer p.spin.Stop()
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
			p.spin.Stop()
			b.sleep(p.flows)
			continue
		}
		moved, parked, err := p.step()
		switch {
		case err != nil:
			return err
		case parked:
			p.spin.Stop()
			b.sleep(p.flows)
		case !moved:
			p.unwatch()
			Yield()
		}
	}
}

// unwatch ends the watching of the sockets after many successful spins (settled).
func (p *Proxy) unwatch() {
	if !p.spin.settled() {
		return
	}
	for _, s := range p.sockets {
		s.mu.Lock()
		file := s.unwatch()
		s.mu.Unlock()
		if file != nil {
			file.Close() // waits for the watcher, which waits for s.mu
		}
	}
}

// failed returns the error of a socket that cannot be used any more, if there is one.
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

// bed holds the channels and the timer that wake a proxy's goroutine.
type bed struct {
	done    <-chan struct{}
	changed <-chan struct{}
	ended   [3]<-chan struct{}
	timer   *time.Timer
	pause   time.Duration
}

// sleep parks the goroutine until a flow is woken or must try again, or until the state
// of the proxy changes. No mutex is held.
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
