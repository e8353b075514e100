package core

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Proxy moves messages between two sockets, and copies of them to a third. Any number of
// goroutines may use it.
//
// Run starts a goroutine for each direction. It receives a batch, sends it, and sends the
// copies, with the same operations as any other user of the sockets. It ignores their
// timeouts. When the proxy stops or pauses, the messages that were not sent go back to
// the socket that received them (R6).
type Proxy struct {
	front, back, capture *Socket // capture may be nil
	flows                []*flow

	mu                          sync.Mutex // guards the fields below
	running, paused, terminated bool
	changed                     change
	moving                      chan struct{} // closed when the flows have stopped; nil unless they run
}

// flow is one direction of a proxy.
type flow struct {
	src, dst *Socket
	batch    Batch // dst.mu guards its count of messages sent
	copies   Batch // the copy of the last message, until the capture socket has room
	dropped  atomic.Uint64
}

// proxyMost is the number of messages that a flow moves at once, unless they are large.
// With a capture socket, a flow moves them one by one, because the copy of each has to
// follow it at once.
const (
	proxyMost  = 64
	proxyBytes = aheadBytes // after which a flow takes no more messages
)

// ProxyEnd is an error that ended a proxy and the role of the socket that failed.
type ProxyEnd struct {
	Role string // "frontend", "backend" or "capture"
	Err  error
}

func (e *ProxyEnd) Error() string { return e.Role + ": " + e.Err.Error() }

// Unwrap returns the error of the socket.
func (e *ProxyEnd) Unwrap() error { return e.Err }

var (
	errProxyRuns = &Fault{libzmq.EFSM, "the proxy is already running; wait until Run returns, or create another proxy"}
	errProxyEnd  = &Fault{libzmq.EFSM, "the proxy was terminated; create another one"}
	errHalfRead  = &Fault{libzmq.EFSM, "a message was received only in part; receive the rest of it first"}
	errSameTwice = &Fault{syscall.EINVAL, "the capture socket is the frontend or the backend; give the proxy a third socket"}
	errProxyUDP  = &Fault{syscall.ENOTSUP, "a proxy cannot forward datagrams; receive and send them in the program"}
	errProxyOne  = &Fault{syscall.ENOTSUP, "a proxy may forward messages of several parts, which a socket with Conflate cannot send; use a socket without Conflate"}
	errCapture   = &Fault{syscall.ENOTSUP, "the capture socket's type cannot send several messages in a row; use a PUB, PUSH, DEALER or PAIR"}
)

// NewProxy creates a proxy between two sockets. front and back may be the same socket,
// and its messages then go back to their senders. capture may be nil.
func NewProxy(front, back, capture *Socket) (*Proxy, error) {
	p := &Proxy{front: front, back: back, capture: capture}
	switch {
	case capture == nil:
	case capture == front || capture == back:
		return nil, errSameTwice
	case !canSend(capture.typ) || lockStep(capture.typ):
		return nil, errCapture
	case capture.conflates.Load():
		return nil, errProxyOne
	}
	p.addFlow(front, back)
	if front != back {
		p.addFlow(back, front)
	}
	if len(p.flows) == 0 {
		return nil, &Fault{syscall.ENOTSUP, "no message can go from " + TypeName(front.typ) + " to " + TypeName(back.typ) +
			" or back; one socket must be able to receive and the other to send"}
	}
	for _, f := range p.flows {
		if f.dst.conflates.Load() {
			return nil, errProxyOne
		}
	}
	return p, nil
}

// addFlow adds the direction from src to dst, if the types of the sockets have it.
func (p *Proxy) addFlow(src, dst *Socket) {
	if !canReceive(src.typ) || !canSend(dst.typ) {
		return
	}
	most := proxyMost
	if p.capture != nil || dst.checks() { // only the bad messages are dropped
		most = 1
	}
	f := &flow{src: src, dst: dst}
	f.batch.Init(most)
	f.batch.whole = true
	f.copies.Init(most)
	p.flows = append(p.flows, f)
}

func (p *Proxy) sockets() []*Socket {
	if p.capture == nil {
		return []*Socket{p.front, p.back}
	}
	return []*Socket{p.front, p.back, p.capture}
}

// Pause stops the flow. After it returns, no message moves.
func (p *Proxy) Pause() error { return p.change(func() { p.paused = true }) }

// Resume ends a pause.
func (p *Proxy) Resume() error { return p.change(func() { p.paused = false }) }

// Terminate ends the proxy for good. After it returns, no message moves.
func (p *Proxy) Terminate() {
	// The error says that the proxy was terminated before, and the caller wants that.
	_ = p.change(func() { p.terminated = true })
}

// change changes the state and waits until the flows that ran before have stopped.
func (p *Proxy) change(set func()) error {
	p.mu.Lock()
	if p.terminated {
		p.mu.Unlock()
		return errProxyEnd
	}
	set()
	p.changed.wake()
	moving := p.moving
	p.mu.Unlock()
	if moving != nil {
		<-moving
	}
	return nil
}

// Counts returns the traffic from front to back and from back to front, and the messages
// that were received but could not be delivered.
func (p *Proxy) Counts() (forth, returned Traffic, dropForth, dropReturned uint64) {
	for _, f := range p.flows {
		f.dst.mu.Lock() // so a message that a peer has received is counted
		sent := f.batch.sent
		f.dst.mu.Unlock()
		if f.src == p.front {
			forth, dropForth = sent, f.dropped.Load()
		} else {
			returned, dropReturned = sent, f.dropped.Load()
		}
	}
	return forth, returned, dropForth, dropReturned
}

// Run moves messages until ctx ends, the proxy is terminated, or a socket fails.
// Termination is not an error.
func (p *Proxy) Run(ctx context.Context) error {
	if err := p.begin(); err != nil {
		return err
	}
	err := p.run(ctx)
	for _, f := range p.flows {
		f.copies.drop()
	}
	p.mu.Lock()
	p.running = false
	p.mu.Unlock()
	return err
}

func (p *Proxy) begin() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running {
		return errProxyRuns
	}
	for _, f := range p.flows {
		f.src.mu.Lock()
		half := f.src.state == stateOpen && f.src.in.more
		f.src.mu.Unlock()
		if half {
			return p.ended(f.src, errHalfRead)
		}
		for _, s := range []*Socket{f.dst, p.capture} {
			if err := s.beginProxy(); err != nil {
				return p.ended(s, err)
			}
		}
	}
	p.running = true
	return nil
}

// beginProxy prepares a socket to which a proxy sends. s may be nil.
func (s *Socket) beginProxy() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.udp {
		return errProxyUDP
	}
	s.sent = true
	return nil
}

func (p *Proxy) run(ctx context.Context) error {
	for {
		p.mu.Lock()
		terminated, changed := p.terminated, p.changed.next()
		var flows []*flow
		if !terminated && !p.paused {
			flows, p.moving = p.flows, make(chan struct{})
		}
		p.mu.Unlock()
		if terminated {
			return nil
		}
		err := p.forward(ctx, flows, changed)
		p.mu.Lock()
		if p.moving != nil {
			close(p.moving)
			p.moving = nil
		}
		p.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// forward runs flows, if there are any, until something ends or changes.
func (p *Proxy) forward(ctx context.Context, flows []*flow, changed <-chan struct{}) error {
	if err := p.failed(ctx); err != nil {
		return err
	}
	var ended [3]<-chan struct{}
	for i, s := range p.sockets() {
		ended[i] = s.Done()
	}
	inner, stop := context.WithCancel(ctx)
	errs, running := make(chan error, len(flows)), len(flows)
	for _, f := range flows {
		go func() { errs <- p.move(inner, f) }()
	}
	var err error
	select {
	case err = <-errs:
		running--
	case <-changed:
	case <-ctx.Done():
	case <-ended[0]:
	case <-ended[1]:
	case <-ended[2]:
	}
	stop()
	for range running {
		err = cmp.Or(err, <-errs)
	}
	return err
}

// failed returns the error of ctx, or of a socket that cannot be used any more.
func (p *Proxy) failed(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, s := range p.sockets() {
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

// move moves messages in one direction. It returns nil when ctx ends.
func (p *Proxy) move(ctx context.Context, f *flow) error {
	defer p.giveBack(f)
	for {
		at, err := p.capture, p.capture.sendAll(ctx, &f.copies, nil)
		if err == nil {
			r := request{kind: recvBatch, dir: Recv, batch: &f.batch, patient: true}
			at, err = f.src, f.src.run(ctx, &r, false)
		}
		if err == nil && p.capture != nil {
			at, err = p.capture, errorOf(f.copies.clone(&f.batch))
		}
		if err == nil {
			at, err = f.dst, f.dst.sendAll(ctx, &f.batch, &f.dropped)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return p.ended(at, err)
		}
	}
}

// sendAll sends the messages of a batch. It drops and counts those that cannot be
// delivered, because their peer has left or does not exist, or because they are invalid,
// and counts those that the policy FullCounted drops. s may be nil if the batch is empty.
func (s *Socket) sendAll(ctx context.Context, b *Batch, dropped *atomic.Uint64) error {
	for b.count > 0 {
		count, sent := b.count, b.sent.Messages
		r := request{kind: sendBatch, dir: Send, batch: b, patient: true}
		err := s.run(ctx, &r, false)
		invalid := err != nil && undeliverable(err)
		if invalid && !errors.Is(err, ErrLost) { // otherwise it is removed already
			b.skip(1)
		}
		if dropped != nil {
			dropped.Add(uint64(count-b.count) - (b.sent.Messages - sent))
		}
		if err != nil && !invalid {
			return err
		}
	}
	return nil
}

// undeliverable reports whether an error concerns only the message.
func undeliverable(err error) bool {
	return errors.Is(err, ErrLost) || errors.Is(err, syscall.EHOSTUNREACH) || errors.As(err, new(*Fault))
}

// giveBack returns the messages that were not sent to their source. If the copy of the
// last one waits for room, giveBack makes an attempt to send it, and otherwise keeps it
// for the end of a pause.
func (p *Proxy) giveBack(f *flow) {
	switch {
	case f.batch.count > 0:
		f.copies.drop()
		f.src.PutBack(f.batch.slots.msgs[f.batch.head():f.batch.end()])
		f.batch.empty()
	case f.copies.count > 0:
		r := request{kind: sendBatch, dir: Send, batch: &f.copies}
		// The flow has ended, and no caller needs the result.
		_ = p.capture.run(context.Background(), &r, true)
	}
}
