package role

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/zmq"
)

// batch is how many messages a role takes or sends at once.
const batch = 256

// mostSenders bounds how many a receiver tells apart. So many at once are none: what
// comes has no headers of ours.
const mostSenders = 10_000

// receiver is a recv's state.
type receiver struct {
	*plan.Role
	live    *Tally
	res     *Result
	senders map[uint32]*tracker
	ended   int
	full    bool // it has all that was asked for,
	more    bool // and a sender has more
	shared  bool
	clock   uint32 // this process's
	foreign int64  // messages with another clock
	size    int    // of all messages, -1: they differ
}

func runRecv(ctx context.Context, r *plan.Role, live *Tally, say Say, res *Result) (err error) {
	e, err := open(r, say, zmq.Linger.To(0), zmq.RecvTimeout.To(idle(r.Wait)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.ctx.Close()) }()
	v := &receiver{Role: r, live: live, res: res, senders: map[uint32]*tracker{}, clock: clockID(), size: -2}
	ended := v.receive(ctx, e.socket)
	res.Rescues = core.Rescues()
	return errors.Join(v.finish(), ended)
}

// receive takes messages until the end, whichever comes first: of the senders, of the
// number, of the time, of the patience.
func (v *receiver) receive(ctx context.Context, s *zmq.Socket) error {
	in := zmq.NewBatch(batch)
	defer in.Close()
	if err := v.measure(ctx, s, in); err != nil || !v.full {
		return err
	}
	limit := flush
	if v.Duration > 0 {
		limit = hurried
	}
	return v.hear(ctx, s, in, limit)
}

// measure receives until the senders have ended, or all is there that was asked for.
func (v *receiver) measure(ctx context.Context, s *zmq.Socket, in *zmq.Batch) error {
	// The first alone: the clock starts with it.
	first := zmq.NewBatch(1)
	defer first.Close()
	if _, err := s.RecvBatch(ctx, first); err != nil {
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
	if err := s.Set(zmq.RecvTimeout.To(idle(v.Idle))); err != nil {
		return err
	}
	bounded := ctx
	if v.Duration > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeoutCause(ctx, v.Duration, errOver)
		defer cancel()
	}
	for got := first; ; got = in {
		done, err := v.take(got)
		if done || v.full || err != nil {
			last = pace.Now()
			return err
		}
		waits := pace.Now()
		_, err = s.RecvBatch(bounded, in)
		if errors.Is(err, zmq.ErrAgain) && stoodStill(pace.Now()-waits, v.Idle) {
			_, err = s.RecvBatch(bounded, in)
		}
		switch {
		case err == nil:
			last = pace.Now()
		case errors.Is(context.Cause(bounded), errOver):
			v.full = !v.Raw && !v.Ends().Lossy
			return nil
		case ctx.Err() == nil && errors.Is(err, zmq.ErrAgain):
			return v.quiet()
		default:
			return err
		}
	}
}

// hear waits, after the last message that was asked for, for the senders to say that it
// was their last, too: who leaves before that lets them wait for somebody to take it. It
// does not wait when they have more to send, or have left.
func (v *receiver) hear(ctx context.Context, s *zmq.Socket, in *zmq.Batch, limit time.Duration) error {
	if err := s.Set(zmq.RecvTimeout.To(pause)); err != nil {
		return err
	}
	for end := pace.Now() + limit; !v.more && !v.heard() && s.Stats().Connections > 0 && pace.Now() < end; {
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

// heard says whether all senders have ended.
func (v *receiver) heard() bool { return v.ended >= max(v.Peers, len(v.senders)) }

// quiet says what it means that nothing comes any more.
func (v *receiver) quiet() error {
	switch n := v.live.Count(); {
	case v.Count > 0:
		return unfit("%d of %d messages came, and then none for %v", n, v.Count, v.Idle)
	case !v.Raw && !v.Ends().Lossy:
		return fmt.Errorf("%d of %d senders said that they have ended, and nothing came for %v: was one stopped?", v.ended, max(v.Peers, len(v.senders)), v.Idle)
	}
	return nil
}

// take looks at the messages of a batch; done says that they were the last.
func (v *receiver) take(b *zmq.Batch) (done bool, err error) {
	now := time.Duration(0)
	if v.OneWay {
		now = monotonic()
	}
	messages, bytes, already := int64(0), int64(0), v.live.Count()
	defer func() { v.live.add(messages, bytes) }()
	for _, m := range b.All() {
		size := 0
		for i := range m {
			size += m[i].Len()
		}
		first, length := payload(m, v.Parts)
		if len(m) < v.Parts {
			return true, fmt.Errorf("a message has %d parts, not the %d of --parts", len(m), v.Parts)
		}
		if !v.Raw {
			var h header
			if !h.read(first) {
				return true, fmt.Errorf("a message of %d bytes has no header of zbench send; for other senders use --raw", length)
			}
			if v.full && !h.end {
				v.more = true
				return true, nil
			}
			end, err := v.note(&h, now)
			if err != nil {
				return true, err
			}
			if end {
				if v.heard() {
					return true, nil
				}
				continue
			}
		}
		if v.Size >= 0 && length != v.Size {
			return true, fmt.Errorf("a message has %d bytes, not the %d of --size", length, v.Size)
		}
		switch v.size {
		case -2:
			v.size = size
		case size:
		default:
			v.size = -1
		}
		messages++
		bytes += int64(size)
		if v.Count > 0 && already+messages >= int64(v.Count) {
			if v.Raw || v.Ends().Lossy { // nobody says that it has ended, or waits to be heard
				return true, nil
			}
			v.full = true
		}
	}
	if !v.Raw {
		v.live.integrity(v.wrong())
	}
	return false, nil
}

// payload returns the first part of a message's payload, which has the header if there
// is one, and how many bytes all parts of it have. What comes before is a topic, or
// addresses.
func payload(m zmq.Multipart, parts int) (first []byte, size int) {
	at := max(len(m)-parts, 0)
	for i := at; i < len(m); i++ {
		size += m[i].Len()
	}
	return m[at].Bytes(), size
}

// note looks at a header.
func (v *receiver) note(h *header, now time.Duration) (end bool, err error) {
	t := v.senders[h.sender]
	if t == nil {
		if len(v.senders) == mostSenders {
			return false, fmt.Errorf("messages of more than %d senders: these are no headers of zbench send; for other senders use --raw", mostSenders)
		}
		t = &tracker{}
		if v.Ends().Lossy {
			// What went before this receiver was there is not lost.
			t.next = h.number
		}
		v.senders[h.sender] = t
	}
	v.shared = v.shared || h.shared
	if h.end {
		if !t.ended {
			v.ended++
			t.finish(h.number)
		}
		return true, nil
	}
	t.see(h.number)
	if v.OneWay {
		if h.clock == 0 || h.clock != v.clock {
			v.foreign++
		} else {
			v.live.observe(now - h.due)
		}
	}
	return false, nil
}

// wrong sums up all senders. Of messages that several receivers share nobody knows
// which are missing here.
func (v *receiver) wrong() (lost, doubled, reordered int64) {
	for _, t := range v.senders {
		if !v.shared {
			lost += t.lost()
		}
		doubled += t.doubled
		reordered += t.reordered
	}
	return lost, doubled, reordered
}

// finish makes the result.
func (v *receiver) finish() error {
	s := v.live.State()
	r := v.res
	r.Messages, r.Bytes = s.Messages, s.Bytes
	r.Senders, r.Shared = len(v.senders), v.shared
	if v.size >= 0 {
		r.Cell.Size = v.size
	} else if r.Messages > 0 {
		r.Cell.Size = int(r.Bytes / r.Messages)
	}
	r.Lost, r.Doubled, r.Reordered = v.wrong()
	v.live.integrity(r.Lost, r.Doubled, r.Reordered)
	var errs []error
	if r.Doubled > 0 || r.Reordered > 0 || r.Lost > 0 && !v.Ends().Lossy {
		errs = append(errs, harm("of the numbered messages %d were lost, %d came twice and %d out of order", r.Lost, r.Doubled, r.Reordered))
	}
	if v.foreign > 0 {
		errs = append(errs, unfit("--one-way: %d messages came from another machine, or time namespace, whose clock says nothing here; measure round trips with send -p dealerrouter", v.foreign))
	}
	return errors.Join(append(errs, v.live.keep(r, record.Due))...)
}
