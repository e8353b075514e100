package role

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

const (
	// mostBytes bounds what a batch to send has copied.
	mostBytes = 1 << 20
	// sendBatch is that of the root module's benchmarks.
	sendBatch = 64
)

// sender is the state of send.
type sender struct {
	*plan.Plan
	socket *zmq.Socket
	tally  *load.Tally
	res    *Result
	head   header
	bodies [][][]byte // the parts of payloads, which are used in turn
	topics [][]byte   // used in turn; none: no topic
	first  uint32     // the sender, or that of the first topic
	buffer [][]byte   // the present message
}

func runSend(ctx context.Context, p *plan.Plan, tally *load.Tally, say Say, res *Result) (err error) {
	s, err := open(p, say, zmq.Linger.To(-1), zmq.SendTimeout.To(limit(p.Idle)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(err != nil)) }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	f := farewell{tally: tally, say: say, cancel: cancel}
	stop, err := s.await(ctx, f.watch())
	if err != nil {
		return err
	}
	defer stop()
	if err := pace.WaitUntil(ctx, p.StartAt); err != nil {
		return err
	}
	res.Start = time.Now().UTC()
	v := &sender{Plan: p, socket: s.socket, tally: tally, res: res}
	if err := v.prepare(); err != nil {
		return err
	}
	v.head = newSender(!p.Ends().FansOut && max(p.Waiting, s.socket.Stats().Connections) > 1)
	v.first = v.head.sender
	var used load.Meter
	used.Begin()
	f.begin(pace.Now())
	if p.Rate() > 0 {
		err = v.paced(ctx)
	} else {
		err = v.fast(ctx)
	}
	used.Until(&res.Run)
	state := tally.State()
	res.Messages, res.Bytes = state.Messages, state.Bytes
	if errors.Is(context.Cause(ctx), errGone) {
		f.cut(&res.Run, p.Size())
		return errors.Join(s.socket.Set(zmq.Linger.To(0)), record.Exitf(record.Unfit, "%s: all peers left", res.Gone))
	}
	if !p.Raw && (err == nil || ctx.Err() != nil) {
		err = errors.Join(err, v.end(ctx.Err() != nil))
	}
	return err
}

// farewell is what a sender does about receivers that leave: it ends when none is left, and
// its rate is that until then.
type farewell struct {
	tally  *load.Tally
	say    Say
	cancel context.CancelCauseFunc

	mu          sync.Mutex
	start, left time.Duration
	messages    int64 // when the last one left
}

func (f *farewell) begin(at time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.start = at
}

func (f *farewell) watch() load.Watch {
	return load.Watch{
		Left: func(at time.Duration, peers int) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.start == 0 {
				return
			}
			f.say("%s, %d left", load.GoneAt("gone", at-f.start), peers)
			f.left, f.messages = at, f.tally.Count()
		},
		Gone: func(time.Duration) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.start > 0 {
				f.cancel(errGone)
			}
		},
	}
}

// cut takes what was sent after the last receiver left out of a run.
func (f *farewell) cut(r *record.Run, size int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r.Gone = load.GoneAt("gone", f.left-f.start)
	r.Messages, r.Bytes, r.Elapsed = f.messages, f.messages*int64(size), max(f.left-f.start, 1)
	r.SendTime, r.Planned = r.Elapsed, min(r.Planned, r.Elapsed)
	r.Due = min(r.Due, r.Messages)
}

// await opens the endpoint and waits for the peers.
func (s *side) await(ctx context.Context, w load.Watch) (stop func(), err error) {
	if s.Waiting == 0 {
		return s.follow(w)
	}
	w.Refused = s.once()
	peers := func(ctx context.Context) error { return s.socket.WaitConnected(ctx, s.Waiting) }
	if s.socket.Type() == zmq.Pub {
		peers = func(ctx context.Context) error { return s.socket.WaitSubscribers(ctx, s.Waiting) }
	}
	stop, err = load.Attach(ctx, s.socket, s.Endpoint, s.Wait, s.attach, peers, w)
	if record.ExitCode(err) == record.Unfit && s.socket.Stats().Connections+s.Waiting > 0 && !strings.Contains(err.Error(), "no address") {
		return nil, record.Exitf(record.Unfit, "%d of %s came to %s in %v; start the rest, or use --peers or --wait", min(s.socket.Stats().Connections, s.Waiting), record.Count(s.Waiting, "peer"), s.Endpoint, s.Wait)
	}
	return stop, err
}

// prepare makes the payloads and the topics.
func (v *sender) prepare() error {
	payloads, err := load.Payloads(v.Payload, v.Size())
	for _, p := range payloads {
		v.res.sized(len(p))
		v.bodies = append(v.bodies, load.Split(p, v.Parts))
	}
	for i := range v.Topics {
		v.topics = append(v.topics, []byte(plan.TopicName(v.Topic, i)))
	}
	if v.Topics == 0 && v.Topic != "" {
		v.topics = [][]byte{[]byte(v.Topic)}
	}
	return err
}

// message returns a message, which is valid until the next one: the topic, if there is one, and
// the parts of its payload. Each topic has a sender and numbers of its own, because subscribers
// get some of them.
func (v *sender) message(number uint64) [][]byte {
	body, topics := v.bodies[number%uint64(len(v.bodies))], uint64(max(len(v.topics), 1))
	if !v.Raw {
		v.head.number, v.head.sender = number/topics, v.first+uint32(number%topics)
		v.head.put(body[len(body)-1])
	}
	v.buffer = append(v.topic(number%topics), body...)
	return v.buffer
}

// topic returns the part with a topic, or none.
func (v *sender) topic(i uint64) [][]byte {
	if len(v.topics) == 0 {
		return v.buffer[:0]
	}
	return append(v.buffer[:0], v.topics[i])
}

// fast sends at full speed.
func (v *sender) fast(ctx context.Context) error {
	bounded, cancel := within(ctx, v.Duration)
	defer cancel()
	size := max(1, min(sendBatch, mostBytes/(v.Size()+1)))
	b := zmq.NewBatch(size)
	defer b.Close()
	begin := pace.Now()
	defer func() {
		v.res.Elapsed = pace.Now() - begin
		v.res.SendTime = v.res.Elapsed
	}()
	for done := int64(0); v.Count == 0 || done < int64(v.Count); {
		n := size
		if v.Count > 0 {
			n = int(min(int64(size), int64(v.Count)-done))
		}
		for i := range n {
			if err := b.Append(v.message(uint64(done) + uint64(i))...); err != nil {
				return err
			}
		}
		sent, err := v.socket.SendBatch(bounded, b)
		done += int64(sent)
		v.tally.Add(int64(sent), int64(sent*v.Size()))
		if errors.Is(context.Cause(bounded), errOver) {
			return nil
		}
		if err != nil {
			return v.stuck(err)
		}
	}
	return nil
}

// stuck explains an error of a send.
func (v *sender) stuck(err error) error {
	if errors.Is(err, zmq.ErrAgain) {
		return fmt.Errorf("no peer took a message for %v (--idle): %w", v.Idle, err)
	}
	return err
}

// paced sends messages when they are due.
func (v *sender) paced(ctx context.Context) error {
	schedule, err := pace.New(v.Arrivals, v.Rate(), rand.Uint64())
	if err != nil {
		return err
	}
	// For this thread, and for the one that looks for hiccups.
	defer pace.Spare(2)()
	defer pace.Precise()()
	p := &pace.Pacer{Clock: pace.Real{Spin: v.Pace != load.Sleep}, Schedule: schedule, Start: pace.Now() + time.Millisecond, Limit: int64(v.Count)}
	if v.Count == 0 {
		p.End, p.Grace = p.Start+v.Duration, load.Late(v.Duration)
	}
	v.res.hiccups.Begin(p.Start)
	late, number, lastDue := record.NewHistogram(), uint64(0), p.Start
	n, err := p.Run(ctx, func(due, now time.Duration) error {
		record.Observe(late, now-due)
		if err := v.socket.SendMultipart(ctx, v.message(number)); err != nil {
			return v.stuck(err)
		}
		number++
		lastDue = due
		v.tally.Add(1, int64(v.Size()))
		return nil
	})
	v.res.hiccups.End(pace.Now())
	r := v.res
	r.Elapsed = pace.Now() - p.Start
	r.Messages, r.Due, r.Unsent, r.Planned = int64(number), n.Due, n.Due-n.Sent, v.Duration
	if v.Count > 0 || err != nil {
		r.Planned = lastDue - p.Start + time.Duration(float64(time.Second)/v.Rate())
	}
	r.Elapsed = load.InTime(r.Elapsed, r.Planned)
	r.SendTime = r.Elapsed
	return errors.Join(err, load.Keep(&r.Run, record.Pacer, late))
}

// endMarks is how often the end mark is sent where messages may be lost. The loss of one is
// unknown: a full queue takes messages again when the receiver has emptied half of it.
const endMarks = 50

// end sends the end mark: to each receiver or, where all get the same, to all. Of several
// receivers one may get what was meant for another, whose queue was full; so it is sent
// until all have left.
func (v *sender) end(hurry bool) error {
	v.head.end = true
	least, most := max(1, v.socket.Stats().Connections), 1
	switch {
	case v.Ends().FansOut:
		least, most = endMarks, endMarks
	case least > 1:
		v.head.shared = true
		most = math.MaxInt
	}
	ctx, cancel := context.WithTimeout(context.Background(), patienceFor(hurry))
	defer cancel()
	for i := range most {
		if i > 0 && v.socket.Stats().Connections == 0 {
			return nil // all have heard it, and left
		}
		if err := v.marks(ctx); err != nil && i < least {
			return fmt.Errorf("the receivers cannot be told that this was the end: %w", err)
		}
		if ctx.Err() != nil {
			return nil // the receivers that are left wait for others
		}
		if v.Ends().FansOut || i+1 >= least && i+1 < most {
			time.Sleep(pause)
		}
	}
	return nil
}

// marks sends the end mark, of each topic.
func (v *sender) marks(ctx context.Context) error {
	sent, topics := uint64(v.tally.Count()), uint64(max(len(v.topics), 1))
	for i := range topics {
		v.head.number, v.head.sender = (sent+topics-1-i)/topics, v.first+uint32(i)
		mark := make([]byte, plan.HeaderSize)
		v.head.put(mark)
		if err := v.socket.SendMultipart(ctx, append(v.topic(i), mark)); err != nil {
			return err
		}
	}
	return nil
}
