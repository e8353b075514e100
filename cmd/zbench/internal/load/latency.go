package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/zmq"
)

// span says which messages count: those that are due, or sent, after the warm-up.
// Times are pace.Now's.
type span struct {
	start, from time.Duration
	to          time.Duration // 0: when count messages were
	count       int64         // of each client; 0: until to
	begun       func()        // called by each client with its first message that counts
}

func newSpan(m record.Method, clients int) span {
	s := span{start: pace.Now() + time.Millisecond} // by then all goroutines are there
	s.from = s.start + m.Warmup
	if m.Count > 0 {
		s.count = int64((m.Count + clients - 1) / clients)
	} else {
		s.to = s.from + m.Duration
	}
	return s
}

// seen is what one client saw: histograms for one goroutine each, merged when all
// have ended.
type seen struct {
	rtt, due, sent, pacer *hdr.Histogram
	messages              int64 // that count
	dueMessages, unsent   int64
	last                  time.Duration // when the last reply came
	lastDue               time.Duration // when the last message was due

	live      *tally  // nil: nobody looks on
	size      int     // of a message
	going     sampler // which messages are timed, for who sends
	timed     sampler // the same, for who takes replies
	lastTimed bool    // the last reply was
}

// meter is the thread that looks for hiccups.
const meter = 1

// latency measures round trips, or one way with a pattern that has no way back; with
// a peer, to a server that is elsewhere. hiccups is told when messages count. beforeReply,
// if there is one, is called before each reply, for tests of what an end that is held up
// does to the result.
func latency(ctx context.Context, r *record.Run, peer *Peer, hiccups *pace.Hiccups, beforeReply func(i int)) (err error) {
	text, err := ReadPayload(r.Method.Payload)
	if err != nil {
		return err
	}
	e, err := openEnds(r.Cell, peer, text)
	if err != nil {
		return err
	}
	unhook := context.AfterFunc(ctx, e.stop)
	defer unhook()
	var serving sync.WaitGroup
	var first failure // of all goroutines
	run := func(group *sync.WaitGroup, f func() error) {
		group.Go(func() {
			if err := f(); err != nil && first.set(err) {
				e.stop() // the others wait for messages that will not come
			}
		})
	}
	if peer == nil && !e.oneWay {
		run(&serving, func() error {
			return onto(pins(r.Cell).Receivers, func() error { return e.echo(beforeReply) })
		})
	}
	defer func() {
		unhook()
		e.closing.Store(true)
		e.stop()
		serving.Wait()
		err = errors.Join(err, e.close())
	}()

	if r.Cell.Open() {
		defer pace.Spare(len(e.clients) + meter)()
	}
	// The first round trip of each: everything is connected.
	for i, c := range e.clients {
		if err := c.greet(); err != nil {
			return fmt.Errorf("client %d has no connection: %w", i, errors.Join(first.get(), err))
		}
	}
	if peer != nil && peer.Ready != nil {
		if err := peer.Ready(ctx); err != nil {
			return err
		}
	}
	clients := make([]seen, len(e.clients))
	when := newSpan(r.Method, len(e.clients))
	hiccups.Begin(when.from)
	var used usage
	live := liveOf(ctx).begin(r.Cell)
	when.begun = sync.OnceFunc(func() {
		live.starts()
		used.read()
	})
	var measuring sync.WaitGroup
	for i, c := range e.clients {
		clients[i].live, clients[i].size = live, r.Cell.Size
		clients[i].going, clients[i].timed = newSampler(r.Method, i), newSampler(r.Method, i)
		run(&measuring, func() error {
			return onto(pins(r.Cell).Senders, func() error { return c.measure(ctx, r, peer, i, when, &clients[i]) })
		})
	}
	measuring.Wait()
	hiccups.End(pace.Now())
	if err := first.get(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return e.missing(cause)
		}
		return err
	}
	used.until(r)
	r.Rescues = core.Rescues()
	return collect(r, when, clients)
}

// measure is a client's part, from its first message to its last reply.
func (c *client) measure(ctx context.Context, r *record.Run, peer *Peer, i int, when span, s *seen) error {
	if !r.Cell.Open() {
		return c.pingpong(max(r.Cell.Window, 1), when, s)
	}
	o := open{
		client: c, replying: pins(r.Cell).Receivers, arrivals: r.Cell.Arrivals, rate: r.Cell.Rate,
		number: i, all: max(r.Cell.Senders, 1),
		seed: r.Method.Seed + uint64(i), spin: r.Method.Pace != Sleep, urgent: r.Method.Pace == Urgent,
	}
	if peer != nil && peer.All > 0 {
		// The cell's Rate is that of the clients which are here.
		o.rate *= float64(peer.All) / float64(o.all)
		o.number, o.all = peer.First+i, peer.All
	}
	return o.run(ctx, when, s)
}

// collect makes the record of what the clients saw.
func collect(r *record.Run, when span, clients []seen) error {
	sum := seen{rtt: record.NewHistogram(), due: record.NewHistogram(), sent: record.NewHistogram(), pacer: record.NewHistogram()}
	for _, s := range clients {
		for _, pair := range [][2]*hdr.Histogram{{sum.rtt, s.rtt}, {sum.due, s.due}, {sum.sent, s.sent}, {sum.pacer, s.pacer}} {
			if pair[1] != nil {
				pair[0].Merge(pair[1])
			}
		}
		sum.messages += s.messages
		sum.dueMessages += s.dueMessages
		sum.unsent += s.unsent
		sum.last = max(sum.last, s.last)
		sum.lastDue = max(sum.lastDue, s.lastDue)
	}
	if sum.messages == 0 && sum.dueMessages == 0 {
		return errors.New("not one message came back after the warm-up; measure for longer (--duration)")
	}
	if sum.messages > 0 && sum.due.TotalCount()+sum.rtt.TotalCount() == 0 {
		return errors.New("not one of the messages was timed; measure for longer, or time more of them (--sample)")
	}
	r.Messages, r.Bytes = sum.messages, sum.messages*int64(r.Cell.Size)
	r.Due, r.Unsent = sum.dueMessages, sum.unsent
	r.Elapsed = max(sum.last, when.from+1) - when.from
	if r.Cell.Open() {
		r.Planned = r.Method.Duration
		switch {
		case when.count > 0 && r.Cell.Arrivals == pace.Uniform:
			// The last one due need not be this process's.
			r.Planned = time.Duration(float64(sum.dueMessages) / r.Cell.Rate * float64(time.Second))
		case when.count > 0:
			r.Planned = sum.lastDue - when.from + time.Duration(float64(time.Second)/r.Cell.Rate)
		}
		if r.Elapsed < r.Planned+late(r.Planned) {
			// The last replies are on their way when the time is over. What counts is
			// that the queue did not grow.
			r.Elapsed = r.Planned
		}
	}
	for name, h := range map[string]*hdr.Histogram{record.RTT: sum.rtt, record.Due: sum.due, record.Sent: sum.sent, record.Pacer: sum.pacer} {
		if err := addLatency(r, name, h); err != nil {
			return err
		}
	}
	return nil
}

// late is how long after the end messages that were due before may be sent, and
// replies come, and still be in time.
func late(duration time.Duration) time.Duration { return max(100*time.Millisecond, duration/100) }

// greet exchanges a message, before anything is measured.
func (c *client) greet() error {
	if c.client == zmq.Radio {
		if err := c.tuneIn(); err != nil {
			return err
		}
	}
	if c.routed() {
		// The server's answer to the probe, without which there is nobody to send to.
		if _, err := c.socket.RecvMultipart(context.Background()); err != nil {
			return err
		}
	}
	if err := c.send(); err != nil {
		return err
	}
	_, err := c.recv()
	return err
}

// failure keeps the first of several errors.
type failure struct {
	mu  sync.Mutex
	err error
}

func (f *failure) set(err error) (first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
		return true
	}
	return false
}

func (f *failure) get() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
