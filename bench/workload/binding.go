package workload

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/bench/cfloor"
	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

// The routing ids of the two ROUTER sockets.
var senderID, receiverID = []byte("a"), []byte("b")

// group is the group that a RADIO sends to.
const group = "g"

// binding is the engine for package zmq. It makes the plain calls that a user would write
// in a hot loop.
type binding struct {
	spec                 Spec
	ctx                  *zmq.Context
	senders, receivers   []*party
	timed                []*party   // the receivers, or the clients of round trips
	others               []*party   // all parties except timed[0], each with a goroutine
	slices               sync.Pool  // SyncPool: shared by all parties
	pool                 *pool.Pool // Pooled; otherwise nil
	publicKey, secretKey string     // Curve: one key pair for both sides

	// The state of one run.
	begin        time.Time
	beginCPU     time.Duration
	busy         atomic.Int32  // timed parties that have not finished
	elapsed, cpu time.Duration // until the last timed party finished
	running      sync.WaitGroup
	failure      atomic.Pointer[error] // the first error
}

// via returns the endpoint to connect to for a bound endpoint. Tests use it to place a
// forwarder between the sockets. It may be nil.
type via func(bound string) (string, error)

func openBinding(spec Spec, endpoint string, through via) (engine, error) {
	zctx, err := zmq.NewContext(append(ioThreads(spec.pin()), zmq.SocketDefaults(zmq.TrackSubscriptions.To(true)))...)
	if err != nil {
		return nil, err
	}
	b := &binding{spec: spec, ctx: zctx}
	if err := b.open(endpoint, through); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	for _, p := range b.others {
		go p.follow()
	}
	return b, nil
}

func (b *binding) open(endpoint string, through via) (err error) {
	if b.spec.Curve {
		if b.publicKey, b.secretKey, err = zmq.NewCurveKeypair(); err != nil {
			return err
		}
	}
	b.prepareMemory()
	for i := range b.spec.senders() {
		p, err := b.enlist(i, true)
		if err != nil {
			return err
		}
		b.senders = append(b.senders, p)
	}
	for i := range b.spec.receivers() {
		p, err := b.enlist(i, false)
		if err != nil {
			return err
		}
		b.receivers = append(b.receivers, p)
	}
	first, then := b.senders, b.receivers
	if b.spec.Pattern.returns() {
		first, then = then, first
	}
	b.timed = then
	b.others = append(b.others, first...)
	b.others = append(b.others, then[1:]...)
	return b.connect(endpoint, through)
}

// connect binds the sockets that bind, and connects the others to each of them.
func (b *binding) connect(endpoint string, through via) error {
	binders, connecters := b.receivers, b.senders
	if b.spec.Pattern.publishes() {
		binders, connecters = connecters, binders
	}
	for i, p := range binders {
		if err := p.s.Bind(cfloor.Numbered(endpoint, i)); err != nil {
			return err
		}
		at, err := p.s.LastEndpoint()
		if err == nil && through != nil {
			at, err = through(at)
		}
		if err != nil {
			return err
		}
		for _, c := range connecters {
			if err := c.s.Connect(at); err != nil {
				return err
			}
		}
	}
	return nil
}

// Ready exchanges messages in each direction that the pattern uses, or waits for the
// subscriptions.
func (b *binding) Ready() error {
	switch {
	case b.spec.Pattern == RouterRouter:
		s, r := b.senders[0].s, b.receivers[0].s
		if _, err := r.RecvMultipart(context.Background()); err != nil { // the probe
			return err
		}
		return errors.Join(greet(r, s, senderID), greet(s, r, receiverID))
	case b.spec.Pattern == PubSub:
		// Stop interrupts this call, like every other call on the socket.
		return b.senders[0].s.WaitSubscribers(context.Background(), len(b.receivers))
	case b.spec.Pattern == RadioDish:
		return b.tuneIn()
	case b.spec.Pattern.returns():
		return b.converse()
	}
	// A PUSH sends its messages to its connections in their order.
	for _, s := range b.senders {
		for _, r := range b.receivers {
			if err := greet(s.s, r.s); err != nil {
				return err
			}
		}
	}
	return nil
}

// greet sends a message, after a routing id if one is given, and receives it.
func greet(from, to *zmq.Socket, id ...[]byte) error {
	if err := from.SendMultipart(context.Background(), append(id, []byte("ready"))); err != nil {
		return err
	}
	_, err := to.RecvMultipart(context.Background())
	return err
}

// converse sends a message from each client to the server and back.
func (b *binding) converse() error {
	server := b.receivers[0]
	for _, p := range b.senders {
		if err := p.s.SendString(context.Background(), "ready"); err != nil {
			return err
		}
		if err := server.serve(1); err != nil {
			return err
		}
		if _, err := p.s.RecvMultipart(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

// Run starts the clock and runs the first of the timed parties.
func (b *binding) Run(messages int) (elapsed, cpu time.Duration, err error) {
	b.shareOut(messages)
	b.busy.Store(int32(len(b.timed)))
	b.running.Add(len(b.others))
	unpin := b.timed[0].settle()
	b.beginCPU, b.begin = processTime(), time.Now()
	for _, p := range b.others {
		p.gate <- struct{}{}
	}
	b.timed[0].work()
	unpin()
	b.running.Wait()
	if failure := b.failure.Load(); failure != nil {
		return 0, 0, *failure
	}
	return b.elapsed, b.cpu, nil
}

// shareOut sets the number of messages of each party.
func (b *binding) shareOut(messages int) {
	for _, p := range b.senders {
		p.messages = messages / len(b.senders)
	}
	for _, p := range b.receivers {
		p.messages = messages
		if !b.spec.Pattern.publishes() {
			p.messages /= len(b.receivers)
		}
		clear(p.seen)
	}
}

// stopClock is called by each timed party that finishes. The last call stops the clock.
func (b *binding) stopClock() {
	if b.busy.Add(-1) == 0 {
		b.elapsed, b.cpu = time.Since(b.begin), processTime()-b.beginCPU
	}
}

// Latencies appends the durations of the round trips of the last Run.
func (b *binding) Latencies(to []time.Duration) []time.Duration {
	for _, p := range b.senders {
		to = append(to, p.samples[:min(p.messages, len(p.samples))]...)
	}
	return to
}

// fail records the first error, which is the error of the run, and interrupts the other
// parties.
func (b *binding) fail(err error) {
	if err == nil {
		return
	}
	first := err // allocated on this path only
	if b.failure.CompareAndSwap(nil, &first) {
		b.Stop()
	}
}

// Stop makes all calls on the sockets fail, including calls in progress.
func (b *binding) Stop() {
	// The only error is that the context is already closed.
	_ = b.ctx.Shutdown()
}

// PoolCounts implements pooler.
func (b *binding) PoolCounts() (gets, hits int64) {
	if b.pool == nil {
		return 0, 0
	}
	s := b.pool.Stats()
	return s.Gets, s.Hits
}

// Close closes the sockets, the pool and the context. It must not be called during a run.
func (b *binding) Close() error {
	var errs []error
	for _, parties := range [][]*party{b.senders, b.receivers} {
		for _, p := range parties {
			close(p.gate)
			if p.way != nil {
				errs = append(errs, p.way.close())
			}
			if p.poller != nil {
				errs = append(errs, p.poller.Close())
			}
		}
	}
	if b.pool != nil {
		errs = append(errs, b.pool.Close())
	}
	return errors.Join(append(errs, b.ctx.Close())...)
}
