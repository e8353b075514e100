package replay

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"sync"
	"syscall"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/replay/internal/ring"
)

// PublisherConfig says what a Publisher publishes and how much of it it keeps.
type PublisherConfig struct {
	// Topic is the first part of every message. Subscribers filter by it.
	Topic string
	// KeepMessages is how many of the last messages can be asked for. 0 means 10,000.
	KeepMessages int
	// KeepBytes limits the sum of their payloads. 0 means 64 MiB. The last message is kept
	// even if it is larger.
	KeepBytes int64
	// FirstSeq is the number of the first message, normally 0. A publisher that continues
	// the numbers of an earlier process sets it to one more than the last number that the
	// process may have published. A smaller one looks like a restart to subscribers.
	FirstSeq uint64
}

// PublisherStats holds the counts of a Publisher.
type PublisherStats struct {
	Published uint64 // messages published
	Kept      int    // messages that can be asked for now
	KeptBytes int64  // the bytes of their payloads
	Oldest    uint64 // the number of the oldest of them, or of the next message if none is kept
	Replays   uint64 // requests answered up to the end mark
	Refused   uint64 // requests not answered: malformed, or more at a time than the Publisher serves
}

// Publisher publishes numbered messages and answers requests for those that it still
// keeps. Any number of goroutines may use it at the same time. Create one with
// NewPublisher and close it with Close.
type Publisher struct {
	pub, replies *zmq.Socket
	stop         context.CancelFunc // ends the replays under way
	group        sync.WaitGroup

	// turn holds a token while a goroutine publishes, so that messages are sent in the
	// order of their numbers. It is not mu, because a send may block.
	turn   chan struct{}
	parts  [3][]byte // of the message that is being sent, with its topic and number; guarded by turn
	topic  []byte
	number [8]byte

	mu      sync.Mutex
	ring    ring.Ring
	next    uint64 // the number of the next message; written with turn as well
	replays map[string]*replay
	stats   PublisherStats
}

// NewPublisher creates a Publisher for a PUB or XPUB and a ROUTER, which the caller binds
// or connects before or after this call. If the call succeeds, the sockets belong to the
// Publisher: the program must not send on them, receive from the ROUTER, or close them.
// The Publisher sets RouterMandatory and turns off the ROUTER's timeouts. NewPublisher
// starts a goroutine and does not block. It fails with EINVAL for another type of socket
// and for a negative limit.
func NewPublisher(pub, replies *zmq.Socket, config PublisherConfig) (*Publisher, error) {
	if config.KeepMessages < 0 || config.KeepBytes < 0 {
		return nil, invalid("KeepMessages and KeepBytes must not be negative; 0 is the default")
	}
	err := cmp.Or(checkType(pub, zmq.Pub, zmq.XPub), checkType(replies, zmq.Router))
	if err == nil {
		err = replies.Set(zmq.RouterMandatory.To(true), zmq.SendTimeout.To(-1), zmq.RecvTimeout.To(-1))
	}
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &Publisher{
		pub: pub, replies: replies, stop: stop, turn: make(chan struct{}, 1), topic: []byte(config.Topic),
		ring: ring.Ring{MaxMessages: cmp.Or(config.KeepMessages, 10_000), MaxBytes: cmp.Or(config.KeepBytes, 64<<20)},
		next: config.FirstSeq, replays: make(map[string]*replay),
	}
	p.group.Go(func() { p.serve(ctx) })
	return p, nil
}

// Publish sends a message with the next number, and keeps its payload for subscribers that
// ask for it. It returns the number. The payload is copied.
//
// Publish blocks while another goroutine publishes, and while the PUB has no room if its
// WhenFull is Block. It never waits for a replay. The error wraps ctx.Err() if ctx is done
// first, is zmq.ErrAgain if WhenFull is Fail, and zmq.ErrClosed after Close. After an error
// nothing was published, and the next message gets the number.
//
// Implements: zmq_send.
func (p *Publisher) Publish(ctx context.Context, payload []byte) (seq uint64, err error) {
	if ctx == nil {
		return 0, errNilContext
	}
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, p.pub.SendMultipart(ctx, [][]byte{nil}) // sends nothing, as ctx is done
	}
	defer func() { <-p.turn }()
	if p.next == endMark {
		return 0, &zmq.Error{Op: "replay", Errno: syscall.EOVERFLOW, Detail: "there are no numbers left"}
	}
	binary.BigEndian.PutUint64(p.number[:], p.next)
	p.parts = [3][]byte{p.topic, p.number[:], payload}
	if err = p.pub.SendMultipart(ctx, p.parts[:]); err != nil {
		return 0, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ring.Add(payload)
	p.next++
	return p.next - 1, nil
}

// oldest returns the number of the oldest message kept. p.mu is held.
func (p *Publisher) oldest() uint64 { return p.next - uint64(p.ring.Kept) }

// Stats returns the counts. It does not block.
func (p *Publisher) Stats() PublisherStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	st := p.stats
	st.Published, st.Kept, st.KeptBytes, st.Oldest = p.ring.Messages, p.ring.Kept, p.ring.Bytes(), p.oldest()
	return st
}

// Close closes both sockets and ends the replays under way. What was published lingers as
// the Linger of the PUB says. Further calls do nothing.
//
// Implements: zmq_close.
func (p *Publisher) Close() error {
	p.stop()
	err := cmp.Or(p.pub.Close(), p.replies.Close())
	p.group.Wait()
	return err
}

// endMark is the number in an end mark, which no message can have.
const endMark = math.MaxUint64
