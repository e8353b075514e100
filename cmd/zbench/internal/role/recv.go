package role

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// mostSenders bounds how many senders a receiver tells apart. More at once are none: the
// messages have no headers of zbench.
const mostSenders = 10_000

// receiver is the state of recv.
type receiver struct {
	*plan.Plan
	tally    *load.Tally
	res      *Result
	say      Say
	senders  map[uint32]*load.Tracker
	ended    int
	numbered atomic.Bool   // messages have headers
	left     chan struct{} // closed when all peers left
	full     bool          // it has all that was asked for
	more     bool          // and a sender has more
}

func runRecv(ctx context.Context, p *plan.Plan, tally *load.Tally, say Say, res *Result) (err error) {
	s, err := open(p, say, zmq.Linger.To(0), zmq.RecvTimeout.To(limit(p.Idle)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.ctx.Close()) }()
	left := make(chan struct{})
	stop, err := s.follow(load.Watch{Gone: func(at time.Duration) { close(left) }})
	if err != nil {
		return err
	}
	defer stop()
	v := &receiver{Plan: p, tally: tally, res: res, say: say, senders: map[uint32]*load.Tracker{}}
	v.left = left
	ended := v.receive(ctx, s.socket)
	return errors.Join(v.finish(), ended)
}

// receive takes messages until the end of the senders, the count, the duration or the
// idle time, whichever comes first.
func (v *receiver) receive(ctx context.Context, s *zmq.Socket) error {
	in := zmq.NewBatch(batch)
	defer in.Close()
	if err := v.measure(ctx, s, in); err != nil || !v.full {
		return err
	}
	return v.hear(ctx, s, in, patienceFor(v.Duration > 0))
}

// measure receives until the senders have ended, or everything is there.
func (v *receiver) measure(ctx context.Context, s *zmq.Socket, in *zmq.Batch) error {
	first := zmq.NewBatch(1) // the clock starts with the first message
	defer first.Close()
	if _, err := s.RecvBatch(ctx, first); err != nil {
		if ctx.Err() == nil && errors.Is(err, zmq.ErrAgain) {
			return record.Exitf(record.Unfit, "no message came for %v (--idle): is the sender running, with the same pattern and topic?", v.Idle)
		}
		return err
	}
	var used load.Meter
	used.Begin()
	begin := pace.Now()
	last := begin
	defer func() {
		v.res.Elapsed = last - begin
		used.Until(&v.res.Run)
	}()
	bounded, cancel := within(ctx, v.Duration)
	defer cancel()
	bounded, end := v.whileThere(bounded)
	defer end()
	for got := first; ; got = in {
		done, err := v.take(got)
		if done || v.full || err != nil {
			last = pace.Now()
			return err
		}
		_, err = s.RecvBatch(bounded, in)
		switch {
		case err == nil:
			last = pace.Now()
		case errors.Is(context.Cause(bounded), errGone):
			return fmt.Errorf("%s without an end mark: %d of %s ended", load.GoneAt("gone", last-begin), v.ended, record.Count(max(v.Waiting, len(v.senders)), "sender"))
		case errors.Is(context.Cause(bounded), errOver):
			v.full = !v.res.Foreign && !v.Ends().FansOut
			return nil
		case ctx.Err() == nil && errors.Is(err, zmq.ErrAgain):
			return v.quiet()
		default:
			return err
		}
	}
}

// whileThere returns a context that ends with errGone when all senders have left, if they are
// zbench, which sends an end mark. Others come and go.
func (v *receiver) whileThere(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-v.left:
			if v.numbered.Load() {
				cancel(errGone)
			}
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// hear waits, after the last message that was asked for, for the end marks of the senders:
// without it they would wait until their end mark is taken. It does not wait if they have
// more to send, or have left.
func (v *receiver) hear(ctx context.Context, s *zmq.Socket, in *zmq.Batch, patience time.Duration) error {
	if err := s.Set(zmq.RecvTimeout.To(pause)); err != nil {
		return err
	}
	for end := pace.Now() + patience; !v.more && !v.heard() && s.Stats().Connections > 0 && pace.Now() < end; {
		_, err := s.RecvBatch(ctx, in)
		switch {
		case err == nil:
			if _, err := v.take(in); err != nil {
				return err
			}
		case ctx.Err() == nil && errors.Is(err, zmq.ErrAgain):
		default:
			return err
		}
	}
	return nil
}

// heard reports whether all senders have ended.
func (v *receiver) heard() bool { return v.ended >= max(v.Waiting, len(v.senders)) }

// quiet explains an idle timeout.
func (v *receiver) quiet() error {
	switch n := v.tally.Count(); {
	case v.Count > 0:
		return record.Exitf(record.Unfit, "%d of %s came, and then none for %v", n, record.Count(v.Count, "message"), v.Idle)
	case !v.res.Foreign && !v.Ends().FansOut:
		return fmt.Errorf("end marks came from %d of %s, and then nothing for %v: was one stopped?", v.ended, record.Count(max(v.Waiting, len(v.senders)), "sender"), v.Idle)
	}
	return nil
}

// take checks and counts the messages of a batch; done says that they were the last.
func (v *receiver) take(b *zmq.Batch) (done bool, err error) {
	messages, bytes, already := int64(0), int64(0), v.tally.Count()
	defer func() { v.tally.Add(messages, bytes) }()
	for _, m := range b.All() {
		size := length(m)
		payload := m[len(m)-1].Bytes() // before it come a topic or addresses
		own := len(payload)
		end, err := v.check(payload, already+messages == 0)
		switch {
		case err != nil:
			return true, err
		case v.more:
			return true, nil
		case end && v.heard():
			return true, nil
		case end:
			continue
		}
		if v.res.Foreign {
			own = size
		}
		if v.Size() >= 0 && own != v.Size() {
			return true, fmt.Errorf("a message has %d B, not the %d B of --size", own, v.Size())
		}
		v.res.sized(size)
		messages++
		bytes += int64(size)
		if v.Count > 0 && already+messages >= int64(v.Count) {
			if v.res.Foreign || v.Ends().FansOut { // no sender waits to be heard
				return true, nil
			}
			v.full = true
		}
	}
	if !v.res.Foreign {
		v.tally.Integrity(v.wrong())
	}
	return false, nil
}

// length returns how many bytes a message has.
func length(m zmq.Multipart) (n int) {
	for i := range m {
		n += m[i].Len()
	}
	return n
}

// check reads the header of a message. If the first one has none, the sender is another
// program: then messages are counted, and not checked.
func (v *receiver) check(payload []byte, first bool) (end bool, err error) {
	if v.res.Foreign {
		return false, nil
	}
	var h header
	switch {
	case h.read(payload):
		v.numbered.Store(true)
	case !first:
		return true, fmt.Errorf("a message of %d B has no header of zbench send, but earlier ones have: start a zbench recv for each kind of sender", len(payload))
	default:
		v.res.Foreign = true
		v.say("messages without the header of zbench send: they are counted, not checked")
		return false, nil
	}
	if v.full && !h.end {
		v.more = true
		return true, nil
	}
	return v.note(&h)
}

// note follows the numbers of a sender.
func (v *receiver) note(h *header) (end bool, err error) {
	t := v.senders[h.sender]
	if t == nil {
		if len(v.senders) == mostSenders {
			return false, fmt.Errorf("messages from more than %d senders: these are not headers of zbench send", mostSenders)
		}
		t = &load.Tracker{}
		if v.Ends().FansOut {
			t.Next = h.number // earlier messages are not lost
		}
		v.senders[h.sender] = t
	}
	v.res.Shared = v.res.Shared || h.shared
	if h.end {
		if !t.Ended {
			v.ended++
			t.Finish(h.number)
		}
		return true, nil
	}
	t.See(h.number)
	return false, nil
}

// wrong sums up all senders. Which messages are missing is unknown if several receivers
// share a sender.
func (v *receiver) wrong() (lost, duplicated, reordered int64) {
	for _, t := range v.senders {
		if !v.res.Shared {
			lost += t.Lost()
		}
		duplicated += t.Duplicated
		reordered += t.Reordered
	}
	return lost, duplicated, reordered
}

// finish makes the result.
func (v *receiver) finish() error {
	state, r := v.tally.State(), v.res
	r.Messages, r.Bytes, r.Senders = state.Messages, state.Bytes, len(v.senders)
	if r.Messages > 0 {
		r.Cell.Size = int(r.Bytes / r.Messages)
	}
	r.Lost, r.Duplicated, r.Reordered = v.wrong()
	v.tally.Integrity(r.Lost, r.Duplicated, r.Reordered)
	if r.Duplicated > 0 || r.Reordered > 0 || r.Lost > 0 && !v.AllowLoss {
		how := ""
		if v.Ends().FansOut {
			how = "; a publisher drops what a slow subscriber has no room for: send with --rate, raise RCVHWM with --sockopt, or --allow-loss"
		}
		return harmError{fmt.Errorf("%s lost, %d duplicated, %d reordered%s", record.Count(r.Lost, "message"), r.Duplicated, r.Reordered, how)}
	}
	return nil
}
