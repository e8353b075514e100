package poller

import (
	"context"
	"slices"
	"time"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/zmq"
)

// Poll returns what is ready. With nothing ready it waits until something is, or until
// timeout has passed, and then returns no events and no error; 0 does not wait, a
// negative timeout waits without limit. The timeout is not rounded to milliseconds, and
// what interrupts the wait does not start it anew; it never ends early, and as late as
// Go's timers do, which in an idle process can be a millisecond. Wake ends it early.
//
// All that is ready is returned, beginning with another one each time, so that a
// socket that is always ready starves no other. The slice is reused by the next call.
//
// It fails with zmq.ErrClosed when the Poller is closed; with zmq.ErrTerminated when
// the context of one of its sockets is shut down, until that socket is removed or
// closed; with zmq.ErrState when another goroutine is in Poll or Wait. A Poller that
// has nothing to wait for, since nothing was added or all its sockets were closed, waits
// like any other: something may be added. zmq_poll.
func (p *Poller) Poll(timeout time.Duration) ([]Event, error) {
	var deadline time.Time
	if timeout > 0 {
		deadline = time.Now().Add(timeout)
	}
	return p.poll(nil, nil, deadline, timeout != 0)
}

// Wait is Poll without a timeout: it waits until something is ready, or ctx ends. Then
// its error wraps that of ctx. Without a context, nil, nothing but Wake and Close ends
// it early; closing the last of its sockets does not. zmq_poll.
func (p *Poller) Wait(ctx context.Context) ([]Event, error) {
	return p.waitUntil(ctx, time.Time{})
}

// waitUntil is Wait with a deadline, if that is not zero.
func (p *Poller) waitUntil(ctx context.Context, deadline time.Time) ([]Event, error) {
	if ctx == nil {
		return p.poll(nil, nil, deadline, true)
	}
	if err := ctx.Err(); err != nil {
		return nil, core.WrapError("poller wait", err)
	}
	return p.poll(ctx, ctx.Done(), deadline, true)
}

// What Poll fails with when it matters how fast.
var (
	errTerminated = &zmq.Error{
		Op: "poller poll", Errno: libzmq.ETERM,
		Detail: "the context of a socket in the poller was shut down; remove or close the socket",
	}
	errBusy = &zmq.Error{
		Op: "poller poll", Errno: libzmq.EFSM,
		Detail: "another goroutine is in Poll or Wait; use a Poller for each goroutine",
	}
)

// Before it parks, a Poll gives way a few times and looks again, as a receive does
// (internal/core/run.go). With three times instead of none, a Poll and a RecvBatch in
// turn took 0.91 of the time for messages of 512 bytes to 64 KiB over tcp.
const spins = 3

func (p *Poller) poll(ctx context.Context, done <-chan struct{}, deadline time.Time, wait bool) ([]Event, error) {
	if p.unmade() {
		return nil, errClosed("poll")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.polling {
		return nil, errBusy
	}
	p.polling = true
	defer func() { p.polling = false }()
	var yielded time.Duration
	for spun := 0; ; {
		err := p.lookAround()
		if err != nil || len(p.events) > 0 || p.wake || !wait {
			p.wake = false
			return p.events, err
		}
		rest := time.Duration(-1)
		if !deadline.IsZero() {
			if rest = time.Until(deadline); rest <= 0 {
				return nil, nil
			}
		}
		if len(p.queue) > 0 { // touched during the look
			if ctx != nil && ctx.Err() != nil {
				return nil, core.WrapError("poller wait", ctx.Err())
			}
			continue
		}
		if spun > 0 && spun <= spins && core.YieldedInVain(yielded) {
			spun = spins + 1 // noted
		}
		if spun < spins {
			spun++
			p.mu.Unlock()
			yielded = core.Yield()
			p.mu.Lock()
			continue
		}
		// From here on edges and touches wake; what came before is seen now.
		if err := p.set.Arm(); err != nil {
			return nil, core.WrapError("poller poll", err)
		}
		p.sleeping = true
		fds, err := p.collect()
		if err != nil || fds || len(p.queue) > 0 {
			p.calm()
			if err != nil {
				return nil, err
			}
			continue
		}
		p.mu.Unlock()
		end := p.sleep(done, rest)
		p.mu.Lock()
		if end != woken {
			p.calm()
		}
		switch end {
		case cancelled:
			return nil, core.WrapError("poller wait", ctx.Err())
		case expired: // a last look
			wait = false
		}
	}
}

// sleep waits until somebody wakes the goroutine. p.mu is not held.
func (p *Poller) sleep(done <-chan struct{}, rest time.Duration) end {
	if rest < 0 && done == nil {
		<-p.ready
		return woken
	}
	var timer <-chan time.Time
	if rest >= 0 {
		p.timer.Reset(rest)
		defer p.timer.Stop()
		timer = p.timer.C
	}
	select {
	case <-p.ready:
		return woken
	case <-timer:
		return expired
	case <-done:
		return cancelled
	}
}

// What ended a sleep.
type end uint8

const (
	woken end = iota
	expired
	cancelled
)

// calm ends the state in which the goroutine is to be woken, and takes the token if
// somebody has woken it meanwhile. p.mu is held.
func (p *Poller) calm() {
	if p.sleeping {
		p.sleeping = false
		return
	}
	<-p.ready
}

// lookAround puts what is ready into p.events. p.mu is held; it is released while the
// sockets are looked at, whose mutexes come before it.
func (p *Poller) lookAround() error {
	p.forget()
	if p.closed {
		return errClosed("poll")
	}
	if p.stopped > 0 || p.gone {
		p.gone = false
		return errTerminated
	}
	p.round++
	if _, err := p.collect(); err != nil {
		return err
	}
	p.looking = p.looking[:0]
	for _, e := range p.queue {
		e.queued = false
		if !e.gone && !e.stopped {
			p.looking = append(p.looking, look{entry: e, core: e.core, want: int(e.interest)})
		}
	}
	clear(p.queue)
	p.queue = p.queue[:0]
	if len(p.looking) == 0 {
		p.rotate()
		return nil
	}
	p.mu.Unlock()
	for i := range p.looking {
		l := &p.looking[i]
		l.has = l.core.Look(l.entry, l.want)
	}
	p.mu.Lock()
	if p.closed {
		p.forget()
		return errClosed("poll")
	}
	for _, l := range p.looking {
		p.report(l)
	}
	clear(p.looking)
	p.rotate()
	if len(p.events) == 0 && (p.stopped > 0 || p.gone) {
		p.gone = false
		return errTerminated
	}
	return nil
}

// rotate makes another event the first one each time.
func (p *Poller) rotate() {
	n := len(p.events)
	if n < 2 {
		return
	}
	k := int(p.round % uint64(n))
	rotate(p.events, k)
	rotate(p.sources, k)
}

// rotate moves the first k elements to the end.
func rotate[T any](list []T, k int) {
	slices.Reverse(list[:k])
	slices.Reverse(list[k:])
	slices.Reverse(list)
}

// report notes the event of a socket that was looked at, and keeps it in the queue.
func (p *Poller) report(l look) {
	e := l.entry
	if e.gone || e.stopped {
		return
	}
	if has := Events(l.has) & e.interest; has != 0 {
		p.note(e, Event{Socket: e.socket, Events: has})
		p.enqueue(e)
	}
}

// collect asks the kernel: sockets that something happened to go into the queue,
// descriptors that are ready into the events. p.mu is held.
func (p *Poller) collect() (fds bool, err error) {
	p.found, err = p.set.Ready(p.found[:0])
	if err != nil {
		return false, core.WrapError("poller poll", err)
	}
	for _, r := range p.found {
		e := p.at(r.Key)
		switch {
		case e == nil:
		case e.socket != nil:
			p.enqueue(e)
		default:
			if has := Events(r.What) & (e.interest | Err); has != 0 {
				fds = true
				p.reportFD(e, has)
			}
		}
	}
	return fds, nil
}

// reportFD notes the event of a descriptor, with another one of the same round.
func (p *Poller) reportFD(e *entry, has Events) {
	if e.round == p.round && e.at < len(p.events) {
		p.events[e.at].Events |= has
		return
	}
	e.round, e.at = p.round, len(p.events)
	p.note(e, Event{FD: uintptr(e.fd), Events: has})
}

func (p *Poller) note(e *entry, event Event) {
	p.events, p.sources = append(p.events, event), append(p.sources, e)
}

// forget forgets the events of the last round.
func (p *Poller) forget() {
	clear(p.sources)
	p.events, p.sources = p.events[:0], p.sources[:0]
}
