package workload

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// The routing ids of a ROUTER's two ends.
var senderID, receiverID = []byte("a"), []byte("b")

// binding is the engine on package zmq: what a user would write on a hot loop,
// with the plain calls.
type binding struct {
	spec             Spec
	ctx              *zmq.Context
	sender, receiver *zmq.Socket // the one that connects, the one that binds
	out, in, back    []byte      // what is sent, received, and sent back
	parts            [][]byte
	id               [16]byte
	way              way      // nil: the plain calls
	start            chan int // the gate: the number of messages
	done             chan struct{}
	failure          atomic.Pointer[error] // the first
}

// A way to send and to receive instead of the plain calls: see ways.
type way interface {
	// send and receive are each called by one goroutine, for a whole run.
	send(messages int) error
	receive(messages int) error
	// close releases what the way holds, before the context is closed.
	close() error
}

func openBinding(spec Spec, endpoint string) (engine, error) {
	ctx, err := zmq.NewContext()
	if err != nil {
		return nil, err
	}
	b := &binding{spec: spec, ctx: ctx, start: make(chan int, 1), done: make(chan struct{}, 1)}
	b.out, b.in, b.back = payload(spec.Size), make([]byte, spec.Size), make([]byte, spec.Size)
	b.parts = [][]byte{receiverID, b.out}
	if err := b.connect(endpoint); err != nil {
		return nil, errors.Join(err, ctx.Close())
	}
	if b.way, err = newWay(b); err != nil {
		return nil, errors.Join(err, ctx.Close())
	}
	go b.sending()
	return b, nil
}

// payload returns bytes that no transport could compress.
func payload(size int) []byte {
	p, x := make([]byte, size), uint32(2463534242)
	for i := range p {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		p[i] = byte(x)
	}
	return p
}

// connect makes the sockets with the options that the C side sets as well.
func (b *binding) connect(endpoint string) (err error) {
	types := map[Pattern][2]zmq.SocketType{
		RouterRouter: {zmq.Router, zmq.Router},
		PushPull:     {zmq.Push, zmq.Pull},
		DealerDealer: {zmq.Dealer, zmq.Dealer},
	}[b.spec.Pattern]
	mark := 0
	if b.spec.Strategy != "" {
		mark = HighWater(b.spec.Size)
	}
	common := []zmq.Setting{zmq.Linger.To(0), zmq.SendHWM.To(mark), zmq.RecvHWM.To(mark)}
	if b.sender, err = b.ctx.NewSocket(types[0], common...); err != nil {
		return err
	}
	if b.receiver, err = b.ctx.NewSocket(types[1], common...); err != nil {
		return err
	}
	if b.spec.Pattern == RouterRouter {
		// The receiver learns of the sender by a probe, and answers it: before that
		// a ROUTER has nobody to send to.
		err = errors.Join(
			b.sender.Set(zmq.RoutingID.To(senderID), zmq.RouterMandatory.To(true), zmq.ProbeRouter.To(true)),
			b.receiver.Set(zmq.RoutingID.To(receiverID), zmq.RouterMandatory.To(true)))
		if err != nil {
			return err
		}
	}
	if b.spec.Mode == ReadAhead {
		if err := b.receiver.Set(zmq.ReadAhead.To(readAhead)); err != nil {
			return err
		}
	}
	if err := b.receiver.Bind(endpoint); err != nil {
		return err
	}
	bound, err := b.receiver.LastEndpoint()
	if err != nil {
		return err
	}
	return b.sender.Connect(bound)
}

// Ready exchanges messages in each direction that the pattern uses.
func (b *binding) Ready() error {
	switch b.spec.Pattern {
	case PushPull:
		return greet(b.sender, b.receiver)
	case DealerDealer:
		return errors.Join(greet(b.sender, b.receiver), greet(b.receiver, b.sender))
	}
	if _, err := b.receiver.RecvMultipart(); err != nil { // the probe
		return err
	}
	return errors.Join(greet(b.receiver, b.sender, senderID), greet(b.sender, b.receiver, receiverID))
}

// greet sends a message, behind a routing id if there is one, and receives it.
func greet(from, to *zmq.Socket, id ...[]byte) error {
	if err := from.SendMultipart(append(id, []byte("ready"))); err != nil {
		return err
	}
	_, err := to.RecvMultipart()
	return err
}

// Run has the clock, and receives.
func (b *binding) Run(messages int) (elapsed, cpu time.Duration, err error) {
	cpuBefore, begin := processTime(), time.Now()
	b.start <- messages
	switch {
	case b.spec.Pattern == DealerDealer:
		err = b.ask(messages)
	case b.way != nil:
		err = b.way.receive(messages)
	default:
		err = b.receive(messages)
	}
	elapsed, cpu = time.Since(begin), processTime()-cpuBefore
	b.fail(err)
	<-b.done
	if failure := b.failure.Load(); failure != nil {
		return 0, 0, *failure
	}
	return elapsed, cpu, nil
}

// sending is the sender's goroutine; it ends when Close closes the gate.
func (b *binding) sending() {
	send := b.send
	switch {
	case b.spec.Pattern == DealerDealer:
		send = b.echo
	case b.way != nil:
		send = b.way.send
	}
	for messages := range b.start {
		b.fail(send(messages))
		b.done <- struct{}{}
	}
}

// fail notes the first failure, which is the run's, and ends the other side's
// waiting.
func (b *binding) fail(err error) {
	if err == nil {
		return
	}
	first := err // allocated on this path only
	if b.failure.CompareAndSwap(nil, &first) {
		b.Stop()
	}
}

// Stop makes all calls on the sockets fail, those under way too.
func (b *binding) Stop() {
	// Its only error is that the context is closed already.
	_ = b.ctx.Shutdown()
}

// PoolCounts makes a binding a pooler.
func (b *binding) PoolCounts() (gets, hits int64) {
	if p, ok := b.way.(*pooled); ok {
		s := p.pool.Stats()
		return s.Gets, s.Hits
	}
	return 0, 0
}

// Close is called when no run is under way.
func (b *binding) Close() error {
	close(b.start)
	var err error
	if b.way != nil {
		err = b.way.close()
	}
	return errors.Join(err, b.ctx.Close())
}
