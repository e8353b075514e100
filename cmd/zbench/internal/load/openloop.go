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

// inFlight is how many messages of a client may be under way. It is more than sockets with
// the default high-water mark (HWM) and the system's buffers hold. If there are more, the
// sender waits, and the wait counts as latency, like that for a full socket.
const inFlight = 1 << 17

// open is a client under an offered load.
type open struct {
	*client
	arrivals string
	rate     float64 // of all clients together
	number   int     // of the client, from 0
	all      int     // number of clients
	seed     uint64
	spin     bool

	// When messages were due and sent, by number modulo inFlight. due is unmeasured for
	// those of the warm-up.
	due, sentAt []atomic.Int64
	sent        int64
	base        uint64 // number of the first message
	received    atomic.Int64
}

const unmeasured = -1

func (o *open) run(ctx context.Context, w *window, s *seen) error {
	s.sent, s.pacer = record.NewHistogram(), record.NewHistogram()
	o.due, o.sentAt = make([]atomic.Int64, inFlight), make([]atomic.Int64, inFlight)
	o.base = o.next
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// stop also ends the waiting of the other goroutine.
	stop := func(err error) {
		if err != nil {
			cancel(err)
			_ = o.socket.Close()
			_ = o.replies.Close()
		}
	}
	var receiver sync.WaitGroup
	if !o.Lockstep {
		receiver.Go(func() { stop(o.receive(s)) })
	}
	stop(o.load(ctx, w, s))
	receiver.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return o.complete()
}

// load sends the messages of the warm-up and, once they are answered, those of the window.
// The goroutine has a thread of its own, because the pacer waits in the kernel.
func (o *open) load(ctx context.Context, w *window, s *seen) error {
	defer pace.Precise()()
	if w.warmup > 0 {
		if _, err := o.offer(ctx, pace.Now(), w.warmup, 0, func(_, now time.Duration) error { return o.send(ctx, unmeasured, now, s) }); err != nil {
			return err
		}
		for o.received.Load() < o.sent && ctx.Err() == nil {
			pace.Sleep(100 * time.Microsecond)
		}
	}
	if err := w.enter(ctx); err != nil {
		return err
	}
	n, err := o.offer(ctx, w.start, w.duration, Late(w.duration), func(due, now time.Duration) error {
		record.Observe(s.pacer, now-due)
		return o.send(ctx, due, now, s)
	})
	s.sentLast = pace.Now()
	s.due, s.unsent = n.Due, n.Due-n.Sent
	if err != nil || o.Lockstep {
		return err
	}
	return o.sendEnd()
}

// offer calls send for each message that is due from start on.
func (o *open) offer(ctx context.Context, start, duration, grace time.Duration, send func(due, now time.Duration) error) (pace.Counts, error) {
	schedule, err := pace.Share(o.arrivals, o.rate, o.seed, o.number, o.all)
	if err != nil {
		return pace.Counts{}, err
	}
	p := pace.Pacer{Clock: pace.Real{Spin: o.spin}, Schedule: schedule, Start: start, End: start + duration, Grace: grace}
	return p.Run(ctx, send)
}

// send sends a message; with a pattern in lockstep it also waits for the reply.
func (o *open) send(ctx context.Context, due, now time.Duration, s *seen) error {
	for o.sent-o.received.Load() >= inFlight && ctx.Err() == nil {
		runtime.Gosched()
	}
	at := o.sent % inFlight
	o.due[at].Store(int64(due))
	o.sentAt[at].Store(int64(now))
	o.sent++
	if err := o.client.send(); err != nil || !o.Lockstep {
		return err
	}
	if _, err := o.recv(); err != nil {
		return err
	}
	o.observe(s)
	return nil
}

// receive takes replies until the end mark.
func (o *open) receive(s *seen) error {
	for {
		end, err := o.recv()
		if end || err != nil {
			return err
		}
		o.observe(s)
	}
}

// observe notes the reply that has come.
func (o *open) observe(s *seen) {
	i := int64(o.track.Next - 1 - o.base)
	if due := time.Duration(o.due[i%inFlight].Load()); due != unmeasured {
		now := pace.Now()
		record.Observe(s.sent, now-time.Duration(o.sentAt[i%inFlight].Load()))
		s.observe(due, now)
	}
	o.received.Store(i + 1)
}
