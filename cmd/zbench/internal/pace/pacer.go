package pace

import (
	"context"
	"time"
)

// A Clock tells the time since a moment of its own, and waits.
type Clock interface {
	Now() time.Duration
	// Wait returns at t or, if that is far away, before.
	Wait(t time.Duration)
}

// Counts say how many messages were due, and how many of them were sent.
type Counts struct {
	Due  int64 // before the end
	Sent int64 // begun to be sent in time
}

// Pacer sends messages when they are due.
type Pacer struct {
	Clock    Clock
	Schedule Schedule
	Start    time.Duration // of the schedule, on the Clock
	End      time.Duration // messages that are due then or later are not sent; 0: no end
	Grace    time.Duration // how long after the End those that were due before may be sent
	Limit    int64         // how many messages are sent at most; 0: no limit
}

// Run calls send for each message, in their order and never before it is due, with
// the time that it was due and the time that it is. It returns when the next would
// be due at the End or later, when End and Grace are over, after the Limit, when ctx has
// ended, and with the error of send.
func (p *Pacer) Run(ctx context.Context, send func(due, now time.Duration) error) (n Counts, err error) {
	for p.Limit == 0 || n.Due < p.Limit {
		due := p.Start + p.Schedule.Next()
		if p.ended(due) {
			return n, nil
		}
		now := p.Clock.Now()
		for ctx.Err() == nil && now < due {
			p.Clock.Wait(due)
			now = p.Clock.Now()
		}
		if ctx.Err() != nil {
			return n, context.Cause(ctx)
		}
		n.Due++
		if p.ended(now - p.Grace) {
			n.Due += p.rest(n.Due)
			return n, nil
		}
		if err := send(due, now); err != nil {
			return n, err
		}
		n.Sent++
	}
	return n, nil
}

func (p *Pacer) ended(t time.Duration) bool { return p.End > 0 && t >= p.End }

// rest returns how many further messages were to be sent. It is called after the End.
func (p *Pacer) rest(due int64) int64 {
	// Counting some thousand million of them would take longer than the run.
	n := p.Schedule.Before(p.End - p.Start)
	if p.Limit > 0 {
		n = min(n, p.Limit-due)
	}
	return n
}
