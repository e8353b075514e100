package load

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// inFlight is how many messages of a client may be under way. That is more than
// libzmq's high-water marks and the system's buffers hold by default; should there
// be more, the sender waits, and the wait counts, as that for a full socket does.
const inFlight = InFlight

// open is a client's open loop.
type open struct {
	*client
	rate     float64
	arrivals string
	seed     uint64
	spin     bool

	sentAt   []atomic.Int64 // when, by number modulo inFlight
	received atomic.Int64
}

// schedule returns when messages are due. The sender and the receiver have one
// each, which say the same, so that due times need not travel.
func (o *open) schedule() (pace.Schedule, error) { return pace.New(o.arrivals, o.rate, o.seed) }

func (o *open) run(ctx context.Context, when span, s *seen) error {
	s.due, s.sent, s.pacer = record.NewHistogram(), record.NewHistogram(), record.NewHistogram()
	schedule, err := o.schedule()
	if err != nil {
		return err
	}
	p := &pace.Pacer{Clock: pace.Real{Spin: o.spin}, Schedule: schedule, Start: when.start, End: when.to, Grace: late(when.to - when.from)}
	if when.count > 0 {
		if p.Limit, err = o.limit(when); err != nil {
			return err
		}
	}
	if o.lockstep {
		return o.steps(ctx, p, when, s)
	}
	o.sentAt = make([]atomic.Int64, inFlight)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// stop ends the other side's waiting, too. The errors of closing say less than
	// the one that is the reason.
	stop := func(err error) {
		if err != nil {
			cancel(err)
			_ = o.socket.Close()
			_ = o.replies.Close()
		}
	}
	var receiver sync.WaitGroup
	receiver.Go(func() { stop(o.receive(when, s)) })
	stop(o.send(ctx, p, when, s))
	receiver.Wait()
	return context.Cause(ctx)
}

// limit returns how many messages there are in the warm-up, and the counted ones.
func (o *open) limit(when span) (int64, error) {
	schedule, err := o.schedule()
	if err != nil {
		return 0, err
	}
	n := int64(0)
	for schedule.Next() < when.from-when.start {
		n++
	}
	return n + when.count, nil
}

// pace runs the pacer on a thread of its own, since it waits in the kernel, and
// counts what was due after the warm-up.
func (o *open) pace(ctx context.Context, p *pace.Pacer, when span, s *seen, send func(due, now time.Duration) error) error {
	defer pace.Precise()()
	warm, begun := int64(0), false
	n, err := p.Run(ctx, func(due, now time.Duration) error {
		if due < when.from {
			warm++
		} else {
			if !begun {
				when.begun()
				begun = true
			}
			record.Observe(s.pacer, now-due)
			s.lastDue = due
		}
		return send(due, now)
	})
	s.dueMessages, s.unsent = n.Due-warm, n.Due-n.Sent
	return err
}

func (o *open) send(ctx context.Context, p *pace.Pacer, when span, s *seen) error {
	i := int64(0)
	err := o.pace(ctx, p, when, s, func(_, now time.Duration) error {
		for i-o.received.Load() >= inFlight && ctx.Err() == nil {
			runtime.Gosched()
		}
		o.sentAt[i%inFlight].Store(int64(now))
		i++
		return o.client.send()
	})
	if err != nil {
		return err
	}
	return o.sendEnd()
}

// receive takes replies until the mark of the end.
func (o *open) receive(when span, s *seen) error {
	schedule, err := o.schedule()
	if err != nil {
		return err
	}
	for i := int64(0); ; i++ {
		end, err := o.recv()
		if end || err != nil {
			return err
		}
		now, due := pace.Now(), when.start+schedule.Next()
		if due >= when.from {
			s.observe(due, time.Duration(o.sentAt[i%inFlight].Load()), now)
		}
		o.received.Store(i + 1)
	}
}

// steps is the loop of a client that can send only after the reply.
func (o *open) steps(ctx context.Context, p *pace.Pacer, when span, s *seen) error {
	return o.pace(ctx, p, when, s, func(due, sent time.Duration) error {
		if err := o.client.send(); err != nil {
			return err
		}
		if _, err := o.recv(); err != nil {
			return err
		}
		if due >= when.from {
			s.observe(due, sent, pace.Now())
		}
		return nil
	})
}

// observe notes a reply that counts.
func (s *seen) observe(due, sent, now time.Duration) {
	record.Observe(s.due, now-due)
	record.Observe(s.sent, now-sent)
	s.messages++
	s.last = now
}
