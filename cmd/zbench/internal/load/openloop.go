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
	arrivals string
	rate     float64 // of all clients together
	number   int     // the client's, among all
	all      int     // how many there are
	seed     uint64
	spin     bool
	replying []int // processors of who takes replies; none: wherever
	urgent   bool  // the thread that sends goes before others

	sentAt   []atomic.Int64 // when, by number modulo inFlight
	received atomic.Int64
}

// schedule returns when messages are due. The sender and the receiver have one
// each, which say the same, so that due times need not travel.
func (o *open) schedule() (pace.Schedule, error) {
	return pace.Share(o.arrivals, o.rate, o.seed, o.number, o.all)
}

func (o *open) run(ctx context.Context, when span, s *seen) error {
	s.due, s.sent, s.pacer = record.NewHistogram(), record.NewHistogram(), record.NewHistogram()
	schedule, err := o.schedule()
	if err != nil {
		return err
	}
	p := &pace.Pacer{Clock: pace.Real{Spin: o.spin}, Schedule: schedule, Start: when.start, End: when.to, Grace: late(when.to - when.from)}
	if when.count > 0 {
		if p.Limit, err = o.limit(ctx, when); err != nil {
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
	receiver.Go(func() { stop(onto(o.replying, func() error { return o.receive(when, s) })) })
	stop(o.send(ctx, p, when, s))
	receiver.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return o.complete()
}

// limit returns how many messages there are in the warm-up, and the counted ones.
func (o *open) limit(ctx context.Context, when span) (int64, error) {
	schedule, err := o.schedule()
	if err != nil {
		return 0, err
	}
	warm := int64(0)
	for schedule.Next() < when.from-when.start {
		warm++
		if warm%glance == 0 && ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
	}
	return warm + when.count, nil
}

// glance is after how many messages that are only counted the context is looked at.
const glance = 1 << 20

// pace runs the pacer on a thread of its own, since it waits in the kernel, and
// counts what was due after the warm-up.
func (o *open) pace(ctx context.Context, p *pace.Pacer, when span, s *seen, send func(due, now time.Duration) error) error {
	undo, err := Prepare(o.urgent)
	if err != nil {
		return err
	}
	defer undo()
	warm, begun := int64(0), false
	n, err := p.Run(ctx, func(due, now time.Duration) error {
		if due < when.from {
			warm++
		} else {
			if !begun {
				when.begun()
				begun = true
			}
			if s.going.next() {
				record.Observe(s.pacer, now-due)
			}
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
		if end && s.messages > 0 {
			s.last = max(s.last, s.lastSeen(pace.Now()))
		}
		if end || err != nil {
			return err
		}
		if due := when.start + schedule.Next(); due >= when.from {
			s.observe(due, time.Duration(o.sentAt[i%inFlight].Load()))
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
			s.observe(due, sent)
		}
		return nil
	})
}

// observe notes a reply that counts, and one in so many the time.
func (s *seen) observe(due, sent time.Duration) {
	s.messages++
	if s.lastTimed = s.timed.next(); !s.lastTimed {
		s.live.add(1, int64(s.size))
		return
	}
	now := pace.Now()
	record.Observe(s.due, now-due)
	record.Observe(s.sent, now-sent)
	s.live.observe(now-due, s.size)
	s.last = now
}

// lastSeen returns when the last reply came: at most a moment before the mark behind it,
// if it was not timed itself.
func (s *seen) lastSeen(mark time.Duration) time.Duration {
	if s.lastTimed {
		return s.last
	}
	return mark
}
