package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// window is the measured part of a run. It begins when all clients have finished their
// warm-up and all messages of the warm-up have been answered, so that none of them takes
// time from it. Times are those of pace.Now.
type window struct {
	warmup, duration time.Duration
	length           time.Duration // the duration, also if the window ends before
	begun            func(start time.Duration)

	mu      sync.Mutex
	missing int // clients in the warm-up
	open    chan struct{}
	start   time.Duration // set before open is closed
}

// enter waits for the other clients.
func (w *window) enter(ctx context.Context) error {
	w.mu.Lock()
	if w.missing--; w.missing == 0 {
		w.start = pace.Now() + time.Millisecond // by then all clients are awake
		w.begun(w.start)
		close(w.open)
	}
	w.mu.Unlock()
	select {
	case <-w.open:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// seen is what one client saw in the window. Its histograms are for one goroutine each.
type seen struct {
	main, sent, pacer *hdr.Histogram
	timeline          timeline
	messages          int64
	due, unsent       int64
	first, last       time.Duration // the first sending, the last reply
	sentLast          time.Duration // the end of the last sending
	idle              time.Duration // in which no message was under way

	tally *Tally
	size  int
}

// observe counts a reply and notes its latency.
func (s *seen) observe(from, now time.Duration) {
	s.messages++
	s.last = now
	record.Observe(s.main, now-from)
	s.timeline.observe(from, now-from)
	s.tally.observe(now-from, s.size)
}

// meter is the thread that looks for hiccups.
const meter = 1

// latency measures round trips, or one way with a pattern that is not answered.
// beforeReply, which may be nil, is called before each reply: tests delay it.
func latency(ctx context.Context, r *record.Run, tally *Tally, hiccups *pace.Hiccups, beforeReply func(i int)) (err error) {
	if r.Cell.Open() {
		defer pace.Spare(max(r.Cell.Senders, 1) + meter)()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	v := &vigil{cancel: cancel, alone: !r.Cell.Open() || r.Cell.Ends().Lockstep}
	e, err := openEnds(ctx, r.Cell, r.Method, v.watch)
	if err != nil {
		return err
	}
	unhook := context.AfterFunc(ctx, e.stop)
	var serving sync.WaitGroup
	defer func() {
		unhook()
		e.closing.Store(true)
		e.stop()
		serving.Wait()
		err = errors.Join(err, e.close())
	}()
	if e.server != nil && e.Answered {
		serving.Go(func() {
			if err := e.echo(beforeReply); err != nil {
				cancel(err)
			}
		})
	}
	if err := e.greet(ctx, r.Method.Endpoint); err != nil {
		return err
	}
	w := &window{warmup: r.Method.Warmup, duration: r.Method.Duration, length: r.Method.Duration, missing: len(e.clients), open: make(chan struct{})}
	v.measuring.Store(true)
	var used Meter
	w.begun = func(start time.Duration) {
		hiccups.Begin(start)
		used.Begin()
	}
	clients := make([]seen, len(e.clients))
	var measuring sync.WaitGroup
	for i, c := range e.clients {
		clients[i] = seen{main: record.NewHistogram(), tally: tally, size: r.Cell.Size, timeline: newTimeline(r.Method.Duration, len(e.clients))}
		measuring.Go(func() {
			if err := c.measure(ctx, r, i, w, &clients[i]); err != nil {
				cancel(err)
			}
		})
	}
	if e.server == nil {
		unwatch := v.hear(e, w)
		defer unwatch()
	}
	measuring.Wait()
	ended := pace.Now()
	hiccups.End(ended)
	used.Until(r)
	if err := e.judge(context.Cause(ctx), r, w, v, ended); err != nil {
		return err
	}
	return collect(r, w, clients)
}

// greet exchanges a first message with each client, which shows that it is connected.
func (e *ends) greet(ctx context.Context, endpoint string) error {
	for i, c := range e.clients {
		if err := c.greet(endpoint); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return fmt.Errorf("client %d: %w", i+1, err)
		}
	}
	return nil
}

// judge returns the error of a measurement that ended with a cause. If the peer left or fell
// silent while the window was open, there is none: the window ended then.
func (e *ends) judge(cause error, r *record.Run, w *window, v *vigil, ended time.Duration) error {
	var gone goneError
	if cause != nil && (!errors.As(cause, &gone) || w.start == 0) {
		return e.missing(cause)
	}
	for _, c := range e.clients {
		r.Lost += c.unanswered()
	}
	if r.Lost > 0 {
		r.Gone = v.tale(w.start, gone)
	}
	if cause != nil {
		w.duration, r.Over = min(w.duration, max(ended-w.start, 1)), true
	}
	return nil
}

// measure is the part of a client, from its warm-up to its last reply.
func (c *client) measure(ctx context.Context, r *record.Run, i int, w *window, s *seen) error {
	if !r.Cell.Open() {
		return c.closed(ctx, w, s)
	}
	o := open{
		client: c, arrivals: r.Cell.Arrivals, rate: r.Cell.Rate, number: i, all: max(r.Cell.Senders, 1),
		seed: rand.Uint64(), spin: r.Method.Pace != Sleep,
	}
	return o.run(ctx, w, s)
}

// closed measures round trips one after the other.
func (c *client) closed(ctx context.Context, w *window, s *seen) error {
	for now, end := pace.Now(), pace.Now()+w.warmup; now < end; now = pace.Now() {
		if err := c.trip(); err != nil {
			return err
		}
	}
	if err := w.enter(ctx); err != nil {
		return err
	}
	s.first = pace.Now()
	// If the machine stalled for the whole window, one message counts.
	for now, end := s.first, w.start+w.duration; now < end || s.messages == 0; now = pace.Now() {
		if s.messages > 0 {
			s.idle += now - s.last
		}
		if err := c.trip(); err != nil {
			return err
		}
		s.observe(now, pace.Now())
	}
	s.sentLast = s.last
	return nil
}

func (c *client) trip() error {
	if err := c.send(); err != nil {
		return err
	}
	_, err := c.recv()
	return err
}

// collect makes the record of what the clients saw.
func collect(r *record.Run, w *window, clients []seen) error {
	name := record.RTT
	if r.Cell.Open() {
		name = record.Due
	}
	sum := map[string]*hdr.Histogram{}
	first, last, sentLast := clients[0].first, time.Duration(0), time.Duration(0)
	var lines []timeline
	for _, s := range clients {
		for name, h := range map[string]*hdr.Histogram{name: s.main, record.Sent: s.sent, record.Pacer: s.pacer} {
			if h == nil {
				continue
			}
			if sum[name] == nil {
				sum[name] = record.NewHistogram()
			}
			sum[name].Merge(h)
		}
		r.Messages += s.messages
		r.Due += s.due
		r.Unsent += s.unsent
		r.Idle += s.idle
		first, last, sentLast = min(first, s.first), max(last, s.last), max(sentLast, s.sentLast)
		lines = append(lines, s.timeline)
	}
	if r.Messages == 0 && r.Due == 0 && r.Gone == "" {
		return errors.New("no message came back in the measured part; measure for longer (--duration)")
	}
	r.Bytes = r.Messages * int64(r.Cell.Size)
	if r.Cell.Open() {
		r.Planned = w.duration
		first = w.start
	}
	r.Elapsed, r.SendTime = max(last-first, 1), max(sentLast-first, r.Planned, 1)
	if r.Cell.Open() {
		// The last messages are under way when the window ends. What matters is that the
		// queue did not grow.
		r.Elapsed, r.SendTime = InTime(r.Elapsed, r.Planned), InTime(r.SendTime, r.Planned)
	}
	r.Timeline = merge(lines)
	for name, h := range sum {
		if err := Keep(r, name, h); err != nil {
			return err
		}
	}
	return nil
}

// Late is the grace period, after the end of the measured part, for overdue sends and replies.
func Late(duration time.Duration) time.Duration { return max(100*time.Millisecond, duration/100) }

// InTime returns the planned duration unless it was clearly exceeded.
func InTime(took, planned time.Duration) time.Duration {
	if took < planned+Late(planned) {
		return planned
	}
	return took
}

// missing adds to the error of a run how many messages had not come. It is called when no
// client works any more.
func (e *ends) missing(why error) error {
	sent, came := uint64(0), uint64(0)
	for _, c := range e.clients {
		sent += c.next
		came += c.track.Next
	}
	if errors.As(why, new(goneError)) {
		why = record.ExitError{Code: record.Unfit, Err: fmt.Errorf("%w during the warm-up", why)}
	}
	if came >= sent || errors.Is(why, errIntegrity) || Mismatched(why) {
		return why
	}
	return fmt.Errorf("%w; %d of %s did not come back", why, sent-came, record.Count(sent, "message"))
}
