package workload

import (
	"time"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

// party is a socket and the state of the goroutine that uses it during a run.
type party struct {
	b        *binding
	spec     Spec
	s        *zmq.Socket
	out, in  []byte   // the payload to send and the payload received
	split    [][]byte // in, split into the parts of a message
	first    []byte   // split[0]
	parts    [][]byte // the parts to send, a ROUTER's id first
	id       [16]byte
	way      way                      // nil: plain calls
	poller   *poller.Poller           // receiver: of the modes with a Poller, otherwise nil
	loop     func(messages int) error // runs the party's part of a run
	messages int                      // the party's share of a run
	gate     chan struct{}
	sends    bool // sends first
	timed    bool // the clock runs until the party finishes

	tag     uint64          // sender: the bits of its stamps above the number
	number  int             // receiver: see checkAmongMany
	seen    []int           // receiver: see checkAmongMany; nil with one sender
	samples []time.Duration // sender: the time of each round trip, or nil
}

// A way replaces the plain calls for sending and receiving, see newWay.
type way interface {
	// send and receive each do their part of a whole run. A party calls one of them. The
	// end that sends first calls send.
	send(messages int) error
	receive(messages int) error
	// close releases the resources of the way. It is called before the context is closed.
	close() error
}

// enlist creates a party.
func (b *binding) enlist(number int, sends bool) (*party, error) {
	p := &party{
		b: b, spec: b.spec, number: number, sends: sends, gate: make(chan struct{}, 1),
		timed: sends == b.spec.Pattern.returns(),
	}
	p.out, p.in = fill(b.spec.Size, b.spec.Payload), make([]byte, b.spec.Size)
	p.split = b.spec.Split(p.in)
	p.first = p.split[0]
	if sends {
		p.tag = uint64(number) << tagShift
		if b.spec.Latency {
			p.samples = make([]time.Duration, b.spec.Sent()/b.spec.senders())
		}
	} else if b.spec.Pattern.deals() && b.spec.senders()+b.spec.receivers() > 2 {
		p.seen = make([]int, b.spec.senders())
	}
	var err error
	if p.s, err = b.ctx.NewSocket(socketTypes[b.spec.Pattern].of(sends), b.settings(sends)...); err != nil {
		return nil, err
	}
	if b.spec.Pattern.publishes() && !sends {
		if err := p.join(); err != nil {
			return nil, err
		}
	}
	switch {
	case b.spec.Pattern == RouterRouter:
		p.parts = append([][]byte{receiverID}, b.spec.Split(p.out)...)
	case b.spec.parts() > 1:
		p.parts = b.spec.Split(p.out)
	default:
		p.parts = make([][]byte, 2) // the routing id and payload of a reply
	}
	if b.spec.polls() && !sends {
		if err := p.openPoller(); err != nil {
			return nil, err
		}
	}
	p.way = newWay(p)
	p.loop = p.loopOf(sends)
	return p, nil
}

// join subscribes a receiver to all messages.
func (p *party) join() error {
	if p.spec.Pattern == RadioDish {
		return p.s.Join(group)
	}
	return p.s.Subscribe("")
}

// loopOf returns the function that the party calls in a run.
func (p *party) loopOf(sends bool) func(int) error {
	returns := p.spec.Pattern.returns()
	switch {
	case p.way != nil && sends:
		return p.way.send
	case p.way != nil:
		return p.way.receive
	case sends && returns:
		return p.ask
	case sends:
		return p.send
	case returns:
		return p.serve
	}
	return p.receive
}

// follow does the party's part of every run. It returns when Close closes the gate.
func (p *party) follow() {
	undo := func() {}
	defer func() { undo() }()
	settled := false
	for range p.gate {
		if !settled { // in the first run, which fails if this fails
			undo, settled = p.settle(), true
		}
		p.work()
		p.b.running.Done()
	}
}

// work does the party's part of one run.
func (p *party) work() {
	err := p.loop(p.messages)
	if p.timed {
		p.b.stopClock()
	}
	p.b.fail(err)
}

// pair holds the socket types of both ends.
type pair struct{ sender, receiver zmq.SocketType }

func (p pair) of(sends bool) zmq.SocketType {
	if sends {
		return p.sender
	}
	return p.receiver
}

var socketTypes = map[Pattern]pair{
	RouterRouter: {zmq.Router, zmq.Router},
	PushPull:     {zmq.Push, zmq.Pull},
	DealerDealer: {zmq.Dealer, zmq.Dealer},
	PubSub:       {zmq.Pub, zmq.Sub},
	DealerRouter: {zmq.Dealer, zmq.Router},
	ReqRep:       {zmq.Req, zmq.Rep},
	Pair:         {zmq.Pair, zmq.Pair},

	ScatterGather: {zmq.Scatter, zmq.Gather},
	RadioDish:     {zmq.Radio, zmq.Dish},
}

// settings returns the socket options, which the C side also sets.
func (b *binding) settings(sends bool) []zmq.Setting {
	mark := b.spec.highWater()
	all := []zmq.Setting{zmq.Linger.To(0), zmq.HWM(mark)}
	if b.spec.InBatchSize > 0 {
		all = append(all, zmq.InBatchSize.To(b.spec.InBatchSize))
	}
	if b.spec.OutBatchSize > 0 {
		all = append(all, zmq.OutBatchSize.To(b.spec.OutBatchSize))
	}
	if b.spec.Curve {
		all = append(all, zmq.CurvePublicKey.To(b.publicKey), zmq.CurveSecretKey.To(b.secretKey))
		if sends == b.spec.Pattern.publishes() { // the binding side is the server
			all = append(all, zmq.CurveServer.To(true))
		} else {
			all = append(all, zmq.CurveServerKey.To(b.publicKey))
		}
	}
	switch {
	case b.spec.Pattern.publishes() && sends:
		// If a subscriber's queue is full, the sender waits instead of dropping the
		// message.
		all = append(all, zmq.XPubNoDrop.To(true))
	case b.spec.Pattern == RouterRouter && sends:
		// The probe tells the receiver the sender's routing id, and the receiver answers.
		// Before that a ROUTER has no peer to send to.
		all = append(all, zmq.RoutingID.To(senderID), zmq.RouterMandatory.To(true), zmq.ProbeRouter.To(true))
	case b.spec.Pattern == RouterRouter:
		all = append(all, zmq.RoutingID.To(receiverID), zmq.RouterMandatory.To(true))
	}
	if b.spec.Mode == ReadAhead && (!sends || b.spec.Pattern.returns()) {
		all = append(all, zmq.ReadAhead.To(readAhead))
	}
	return all
}

// prepareMemory creates the memory that the parties share.
func (b *binding) prepareMemory() {
	switch b.spec.Strategy {
	case SyncPool:
		b.slices.New = func() any {
			p := make([]byte, b.spec.Size)
			return &p
		}
	case Pooled:
		b.pool = pool.New(pool.Config{})
	}
}

// fill returns size bytes that repeat text, or payload(size) if text is empty.
func fill(size int, text string) []byte {
	if text == "" {
		return payload(size)
	}
	p := make([]byte, size)
	for n := 0; n < size; {
		n += copy(p[n:], text)
	}
	return p
}

// payload returns size bytes that no transport can compress.
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
