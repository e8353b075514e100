package replay

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/replay/internal/order"
)

// Start says with which message a Subscriber begins. The zero value is FromNow.
type Start struct {
	asks, exact bool
	seq         uint64
}

var (
	// FromNow begins with the first message that arrives.
	FromNow = Start{}
	// FromOldest begins with the oldest message that the publisher keeps.
	FromOldest = Start{asks: true}
)

// FromSeq begins with a number, such as one more than that of the last message that an
// earlier process has handled. If the publisher no longer has it, a GapError comes first.
func FromSeq(seq uint64) Start { return Start{true, true, seq} }

// SubscriberConfig says what a Subscriber receives.
type SubscriberConfig struct {
	// Topic is the whole topic of the publisher. Messages with other topics, which a SUB
	// lets through if they begin with Topic, are ignored and counted. If it is empty,
	// messages with any topic belong to the sequence.
	Topic string
	// From says where to begin. The default is FromNow.
	From Start
	// Probe is how long the publisher may be silent before the Subscriber asks whether it
	// missed the last messages. It asks again after each such time. 0 or less means never:
	// then only a later message reveals a lost one.
	Probe time.Duration
}

// SubscriberStats holds the counts of a Subscriber.
type SubscriberStats struct {
	Delivered uint64 // messages put in order for the loop
	Replayed  uint64 // those of them that were answers to requests
	Lost      uint64 // messages named by a GapError
	Restarts  uint64 // new publishers
	Requests  uint64 // requests sent
	Dropped   uint64 // messages that were malformed, had another topic, or had come before
	Held      int    // live messages that wait for those before them
}

// Message is a message of a publisher. The receiver owns the Payload.
type Message struct {
	Seq      uint64
	Topic    string
	Payload  []byte
	Replayed bool // it is from an answer to a request, and did not come live
}

// batchSize is the number of messages that are received in one call.
const batchSize = 64

// Subscriber receives the messages of one publisher in order, each once, and asks for those
// that it missed. Any number of goroutines may call Stats and Close; one at a time may run
// a loop over Messages. Create one with NewSubscriber and close it with Close.
type Subscriber struct {
	sub, requests *zmq.Socket
	config        SubscriberConfig
	topic         string // of the last message
	tracked       bool   // the connections of the sockets are counted

	loop  sync.Mutex // held by the loop, which owns what follows
	given int        // outputs that the loop has had

	liveLinks, answerLinks uint64     // how often the sockets have reconnected
	mu                     sync.Mutex // for Stats; held by the loop while it changes seq
	seq                    *order.Sequence
}

// NewSubscriber creates a Subscriber for a SUB and a DEALER, which the caller connects to
// one publisher before or after this call. If the call succeeds, the sockets belong to the
// Subscriber: the program must not use or close them. NewSubscriber subscribes to the
// topic, sets the timeouts of both sockets, and does not block. It fails with EINVAL for
// another type of socket.
//
// If the publisher is not a Publisher, set RecvHWM of the DEALER to more than the number of
// messages that it keeps. Others drop the part of an answer for which there is no room, and
// the Subscriber then has to ask again.
//
// Implements: zmq_setsockopt(ZMQ_SUBSCRIBE).
func NewSubscriber(sub, requests *zmq.Socket, config SubscriberConfig) (*Subscriber, error) {
	if err := cmp.Or(checkType(sub, zmq.Sub), checkType(requests, zmq.Dealer)); err != nil {
		return nil, err
	}
	probe := config.Probe
	if probe <= 0 {
		probe = -1
	}
	err := cmp.Or(sub.Set(zmq.RecvTimeout.To(probe)), requests.Set(zmq.RecvTimeout.To(-1)), sub.Subscribe(config.Topic))
	tracked, failed := zmq.TrackConnections.Get(requests.Context())
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	s := &Subscriber{sub: sub, requests: requests, config: config, topic: config.Topic, tracked: tracked, seq: order.New(!config.From.asks)}
	if config.From.exact {
		s.seq.Begin(config.From.seq)
	}
	return s, nil
}

// Messages returns an iterator over the messages, in order and each once. A step with a
// *GapError reports messages that are lost for good, and one with a *RestartError a new
// publisher; the loop goes on after both. It ends after any other error, such as
// zmq.ErrClosed or one that wraps ctx.Err().
//
// A step blocks until the next message is there, also while an earlier one is asked for.
// Nothing is received while no loop runs. A loop that was left can be followed by another,
// which goes on with the next message. A second loop at the same time ends with EBUSY.
//
// Implements: zmq_msg_recv.
func (s *Subscriber) Messages(ctx context.Context) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		if ctx == nil || !s.loop.TryLock() {
			yield(Message{}, errNoLoop)
			return
		}
		defer s.loop.Unlock()
		batch, timer := zmq.NewBatch(batchSize), time.NewTimer(time.Hour)
		defer batch.Close()
		defer timer.Stop()
		for {
			for s.given < len(s.seq.Out) {
				o := s.seq.Out[s.given]
				s.seq.Out[s.given] = order.Output{}
				if s.given++; !yield(Message(o.Message), reported(o)) {
					return
				}
			}
			s.seq.Out, s.given = s.seq.Out[:0], 0
			if err := s.step(ctx, batch, timer); err != nil {
				yield(Message{}, err)
				return
			}
		}
	}
}

// step waits for something to happen and handles it. Without a request to send, or one
// that is not answered, it waits as a plain SUB does.
func (s *Subscriber) step(ctx context.Context, batch *zmq.Batch, timer *time.Timer) error {
	a := &s.seq.Ask
	if !a.Active {
		err := s.take(ctx, s.sub, batch)
		if errors.Is(err, zmq.ErrAgain) { // silence for the time of Probe
			s.seq.Silent(time.Now())
			return nil
		}
		return err
	}
	var live, answers <-chan struct{}
	if !s.seq.Full() {
		live = s.sub.Ready()
	}
	if a.Sent {
		answers = s.requests.Ready()
	}
	timer.Reset(time.Until(a.Due))
	var err error
	select {
	case <-live:
		err = s.take(ctx, s.sub, batch, zmq.DontWait)
	case <-answers:
		if live != nil { // what has come live first
			err = s.take(ctx, s.sub, batch, zmq.DontWait)
		}
		if err == nil || errors.Is(err, zmq.ErrAgain) {
			err = s.take(ctx, s.requests, batch, zmq.DontWait)
		}
	case <-timer.C:
		err = s.request(ctx, batch)
	case <-ctx.Done():
		err = s.take(ctx, s.sub, batch) // receives nothing, as ctx is done
	}
	if errors.Is(err, zmq.ErrAgain) {
		return nil
	}
	return err
}

// take receives and handles what has arrived on one of the sockets.
func (s *Subscriber) take(ctx context.Context, from *zmq.Socket, batch *zmq.Batch, flags ...zmq.Flag) error {
	if _, err := from.RecvBatch(ctx, batch, flags...); err != nil {
		return err
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	live, links := from == s.sub, from.Stats().Reconnects
	if live && links != s.liveLinks {
		s.liveLinks = links
		s.seq.Doubt(now)
	} else if !live && links != s.answerLinks {
		s.answerLinks = links
		s.seq.Cut()
	}
	for _, p := range batch.All() {
		s.handle(p, live, now)
	}
	return nil
}

// handle handles one message: [topic][number][payload], behind an empty part if it is of an
// answer. There, an older layout has no topic, and the number may be that of an end mark.
func (s *Subscriber) handle(p zmq.Multipart, live bool, now time.Time) {
	if !live && p[0].Len() == 0 {
		p = p[1:]
	}
	n := len(p)
	if n != 3 && (live || n != 2) || p[n-2].Len() != 8 {
		s.seq.Stats.Dropped++
		return
	}
	m := order.Message{Seq: binary.BigEndian.Uint64(p[n-2].Bytes()), Payload: p[n-1].Bytes()}
	foreign := n == 3 && string(p[0].Bytes()) != s.topic
	switch {
	case m.Seq == endMark && !live:
		s.seq.End(now)
		return
	case m.Seq == endMark, foreign && s.config.Topic != "":
		s.seq.Stats.Dropped++
		return
	case foreign:
		s.topic = string(p[0].Bytes())
	}
	if m.Topic = s.topic; live {
		s.seq.Take(m, now)
	} else {
		s.seq.Answer(m, now)
	}
}

// request sends the request that is due, again if it was not answered in time. While the
// publisher is away it sends the first one only, which libzmq keeps until it is back.
func (s *Subscriber) request(ctx context.Context, batch *zmq.Batch) error {
	a, now := &s.seq.Ask, time.Now()
	if a.Tries > 0 && s.tracked && s.requests.Stats().Connections == 0 {
		s.seq.Away(now)
		return nil
	}
	for range 16 { // what has come already may make it unnecessary
		err := s.take(ctx, s.requests, batch, zmq.DontWait)
		if errors.Is(err, zmq.ErrAgain) {
			break
		}
		if err != nil || !a.Active || a.Due.After(now) {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.Sent {
		if s.seq.Overdue(now); !a.Active {
			return nil
		}
	}
	from := binary.BigEndian.AppendUint64(nil, s.seq.Request(now))
	return s.requests.SendMultipart(ctx, [][]byte{nil, from}, zmq.DontWait) // ErrAgain: as if no answer came
}

// Stats returns the counts. It does not block.
func (s *Subscriber) Stats() SubscriberStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.seq.Stats
	return SubscriberStats{c.Delivered, c.Replayed, c.Lost, c.Restarts, c.Requests, c.Dropped, s.seq.Held()}
}

// Close closes both sockets. A running loop ends with zmq.ErrClosed. Further calls do
// nothing.
//
// Implements: zmq_close.
func (s *Subscriber) Close() error { return cmp.Or(s.sub.Close(), s.requests.Close()) }
