package role

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/workload"
	"github.com/go-zmq/go-zmq/zmq"
)

// numbered is the least size with room for a message's number.
const numbered = 8

var peerID = []byte("peer") // what a ROUTER calls whom it connects to

// trips sends messages that come back.
type trips struct {
	*plan.Role
	socket   *zmq.Socket
	live     *Tally
	res      *Result
	out      []byte
	parts    [][]byte
	numbers  bool // messages say which they are; otherwise replies come in their order
	replies  tracker
	in       *zmq.Batch
	due      []atomic.Int64 // when, by number modulo InFlight
	sentAt   []atomic.Int64
	sent     uint64
	received atomic.Uint64
	last     time.Duration  // when the last reply came
	asSent   *hdr.Histogram // open loop: latencies from when messages were sent
}

func runTrips(ctx context.Context, r *plan.Role, live *Tally, say Say, res *Result) (err error) {
	settings := []zmq.Setting{zmq.Linger.To(0), zmq.SendTimeout.To(idle(r.Idle)), zmq.RecvTimeout.To(idle(r.Idle))}
	if r.Pattern == "routerrouter" {
		settings = append(settings, zmq.ConnectRoutingID.To(peerID), zmq.RouterMandatory.To(true))
	}
	text, err := load.ReadPayload(r.Payload)
	if err != nil {
		return err
	}
	e, err := open(r, say, settings...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.ctx.Close()) }()
	if err := e.await(ctx, r); err != nil {
		return err
	}
	t := &trips{
		Role: r, socket: e.socket, live: live, res: res, out: load.Payload(r.Size, text),
		numbers: !r.Raw && r.Size/r.Parts >= numbered, due: make([]atomic.Int64, load.InFlight), sentAt: make([]atomic.Int64, load.InFlight),
	}
	t.parts = workload.Split(t.out, r.Parts)
	if r.Pattern == "routerrouter" {
		t.parts = append([][]byte{peerID}, t.parts...)
	}
	most := batch
	if r.Ends().Lockstep {
		most = 1
	}
	t.in = zmq.NewBatch(most)
	defer t.in.Close()
	var used load.Meter
	used.Begin()
	begin := pace.Now()
	if r.Rate > 0 {
		err = t.open(ctx)
	} else {
		err = t.closed(ctx)
	}
	used.Until(&res.Run)
	res.Rescues = core.Rescues()
	if r.Rate == 0 {
		res.Elapsed = max(t.last-begin, 0)
	}
	return errors.Join(t.finish(ctx), err)
}

// send sends the next message.
func (t *trips) send(ctx context.Context, due time.Duration) error {
	if t.numbers {
		binary.BigEndian.PutUint64(t.out, t.sent)
	}
	at := t.sent % load.InFlight
	t.due[at].Store(int64(due))
	t.sentAt[at].Store(int64(pace.Now()))
	t.sent++ // before: the reply may be faster
	if err := t.socket.SendMultipart(ctx, t.parts); err != nil {
		t.sent--
		if errors.Is(err, zmq.ErrAgain) {
			return fmt.Errorf("nobody took a message for %v (--idle): %w", t.Idle, err)
		}
		return err
	}
	return nil
}

// take waits for replies, and looks at all that are there.
func (t *trips) take(ctx context.Context) error {
	if _, err := t.socket.RecvBatch(ctx, t.in); err != nil {
		return err
	}
	t.last = pace.Now()
	bytes := 0
	for _, m := range t.in.All() {
		p, size := payload(m, t.Parts)
		number := t.received.Load()
		switch {
		case t.Raw:
		case size != t.Size || len(p) < t.Size/t.Parts:
			return fmt.Errorf("a message of %d bytes was answered with %d bytes; for peers that do not send back what they got use --raw", t.Size, size)
		case t.numbers:
			number = binary.BigEndian.Uint64(p)
			if number >= t.replies.next+load.InFlight {
				return errors.New("a reply has another content than the messages; for peers that do not send back what they got use --raw")
			}
		}
		t.replies.see(number)
		at := number % load.InFlight
		t.live.observe(t.last - time.Duration(t.due[at].Load()))
		if t.asSent != nil {
			record.Observe(t.asSent, t.last-time.Duration(t.sentAt[at].Load()))
		}
		bytes += size
		t.received.Add(1)
	}
	t.live.add(int64(t.in.Len()), int64(bytes))
	return nil
}

// closed keeps messages under way: each reply lets the next one go.
func (t *trips) closed(ctx context.Context) error {
	end := pace.Now() + t.Duration
	for {
		for t.sent-t.received.Load() < uint64(t.Pipeline) && t.goesOn(end) {
			if err := t.send(ctx, pace.Now()); err != nil {
				return err
			}
		}
		if t.received.Load() >= t.sent {
			return nil
		}
		if err := t.take(ctx); err != nil {
			return t.silent(err)
		}
	}
}

func (t *trips) goesOn(end time.Duration) bool {
	if t.Count > 0 {
		return t.sent < uint64(t.Count)
	}
	return pace.Now() < end
}

// silent says what a wait for a reply means that took too long.
func (t *trips) silent(err error) error {
	if errors.Is(err, zmq.ErrAgain) {
		return fmt.Errorf("no reply came for %v (--idle): %w", t.Idle, err)
	}
	return err
}

// open sends when messages are due.
func (t *trips) open(ctx context.Context) error {
	p, late, err := pacer(t.Role, t.res)
	if err != nil {
		return err
	}
	t.asSent = record.NewHistogram()
	lastDue := time.Duration(0)
	total := make(chan uint64, 1)
	lockstep := t.Ends().Lockstep
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	received := make(chan error, 1)
	if lockstep {
		received <- nil
	} else {
		go func() {
			err := t.receive(ctx, total)
			if err != nil {
				cancel(err) // the sender need not go on
			}
			received <- err
		}()
	}
	n, err := t.pace(ctx, p, func(due, now time.Duration) error {
		record.Observe(late, now-due)
		lastDue = due
		if err := t.room(ctx); err != nil {
			return err
		}
		if err := t.send(ctx, due); err != nil || !lockstep {
			return err
		}
		return t.silent(t.take(ctx))
	})
	if err != nil {
		cancel(err)
	}
	total <- t.sent
	err = errors.Join(err, <-received)
	t.res.Elapsed = max(t.last-p.Start, 0)
	t.res.Messages = int64(t.received.Load())
	offered(t.Role, t.res, n, lastDue-p.Start)
	return errors.Join(err, keep(t.res, record.Pacer, late), keep(t.res, record.Sent, t.asSent))
}

// room waits until no more messages are under way than can be told apart.
func (t *trips) room(ctx context.Context) error {
	heard, replies := pace.Now(), t.received.Load()
	for t.sent-t.received.Load() >= load.InFlight && ctx.Err() == nil {
		if n := t.received.Load(); n != replies {
			heard, replies = pace.Now(), n
		}
		if t.Idle > 0 && pace.Now()-heard > t.Idle {
			return t.silent(zmq.ErrAgain)
		}
		runtime.Gosched()
	}
	return nil
}

// pace runs the pacer on a thread of its own.
func (t *trips) pace(ctx context.Context, p *pace.Pacer, send func(due, now time.Duration) error) (pace.Counts, error) {
	undo, err := prompt(t.Role)
	if err != nil {
		return pace.Counts{}, err
	}
	defer undo()
	return p.Run(ctx, send)
}

// look is how often a receiver looks whether the sender has ended.
const look = 50 * time.Millisecond

// receive takes replies until there are as many as the total that the sender says.
func (t *trips) receive(ctx context.Context, total <-chan uint64) error {
	// A wait for a reply ends now and then to look at what the sender does.
	if err := t.socket.Set(zmq.RecvTimeout.To(look)); err != nil {
		return err
	}
	count, ended := uint64(0), false
	heard := pace.Now()
	for {
		if !ended {
			select {
			case count = <-total:
				ended = true
				heard = pace.Now()
			default:
			}
		}
		if ended && t.received.Load() >= count {
			return nil
		}
		switch err := t.take(ctx); {
		case err == nil:
			heard = t.last
		case !errors.Is(err, zmq.ErrAgain) || ctx.Err() != nil:
			return err
		case ended && t.Idle > 0 && pace.Now()-heard > t.Idle:
			return t.silent(err)
		}
	}
}

// finish makes the result.
func (t *trips) finish(ctx context.Context) error {
	s := t.live.State()
	r := t.res
	r.Messages, r.Bytes = s.Messages, s.Bytes
	t.replies.finish(t.sent)
	if ctx.Err() == nil { // what was under way when the user stopped it is not lost
		r.Lost = t.replies.lost()
	}
	r.Doubled = t.replies.doubled
	if t.socket.Stats().Connections <= 1 {
		r.Reordered = t.replies.reordered
	}
	t.live.integrity(r.Lost, r.Doubled, r.Reordered)
	name := record.RTT
	if t.Rate > 0 {
		name = record.Due
	}
	err := t.live.keep(r, name)
	if r.Lost+r.Doubled+r.Reordered > 0 {
		err = errors.Join(err, harm("of the replies %d were lost, %d came twice and %d out of order", r.Lost, r.Doubled, r.Reordered))
	}
	return err
}
