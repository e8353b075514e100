package poller

import (
	"context"
	"slices"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/park"
	"github.com/go-zmq/go-zmq/zmq"
)

// Poll waits until a socket or descriptor is ready and returns the events of all that are
// ready. When the timeout passes first, it returns no events and no error. With a timeout
// of 0 it does not wait; a negative timeout means no limit. Wake makes Poll return early.
// The timeout is not rounded to milliseconds. Without an event, a Wake or an error, Poll
// does not return before the timeout. It can return later than the timeout, because Go's
// timers can fire late. In an idle process, it can be a millisecond late.
//
// Each call starts with a different socket, so that one that is always ready does not
// starve the others. The next call of Poll or Wait reuses the slice.
//
// Poll fails with zmq.ErrClosed when the Poller is closed, and with zmq.ErrState when
// another goroutine is in Poll or Wait. It fails with zmq.ErrTerminated when the context
// of one of its sockets is shut down, until that socket is removed or closed. If there is
// nothing to wait for, because nothing was added or all sockets were closed, Poll still
// waits, because another goroutine may add a socket.
//
// Implements: zmq_poll, zmq_poller_wait_all.
func (p *Poller) Poll(timeout time.Duration) ([]Event, error) {
	var deadline time.Time
	if timeout > 0 {
		deadline = time.Now().Add(timeout)
	}
	return p.poll(context.Background(), deadline, timeout != 0)
}

// Wait behaves like Poll, but takes a context instead of a timeout. If ctx is done first,
// the error wraps ctx.Err(). Wake and Close make Wait return early; closing the last
// socket does not. A nil ctx returns EINVAL.
//
// Implements: zmq_poll, zmq_poller_wait_all.
func (p *Poller) Wait(ctx context.Context) ([]Event, error) {
	return p.waitUntil(ctx, time.Time{})
}

// waitUntil is Wait with a deadline, unless the deadline is zero.
func (p *Poller) waitUntil(ctx context.Context, deadline time.Time) ([]Event, error) {
	if ctx == nil {
		return nil, &zmq.Error{Op: "poller wait", Errno: syscall.EINVAL, Detail: fault.NilContext}
	}
	if err := ctx.Err(); err != nil {
		return nil, wrapError("wait", err)
	}
	return p.poll(ctx, deadline, true)
}

// Errors of Poll that are allocated once, because a caller may poll in a tight loop.
var (
	errTerminated = &zmq.Error{
		Op: "poller poll", Errno: libzmq.ETERM,
		Detail: "the context of a socket in the poller was shut down; remove or close the socket",
	}
	errBusy = &zmq.Error{
		Op: "poller poll", Errno: libzmq.EFSM,
		Detail: "another goroutine is in Poll or Wait; use one Poller per goroutine",
	}
)

func (p *Poller) poll(ctx context.Context, deadline time.Time, wait bool) ([]Event, error) {
	if err := p.lock("poll"); err != nil {
		return nil, err
	}
	defer p.mu.Unlock()
	if p.polling {
		return nil, errBusy
	}
	p.polling = true
	defer func() { p.polling = false }()
	defer p.spin.Stop()
	var got uint64 // before this wait
	for {
		err := p.lookAround()
		if err != nil || len(p.events) > 0 || p.wake || !wait {
			p.wake = false
			if len(p.events) > 0 {
				p.spin.Found()
			}
			return p.events, err
		}
		rest := time.Duration(-1)
		if !deadline.IsZero() {
			if rest = time.Until(deadline); rest <= 0 {
				p.spin.InVain()
				return nil, nil
			}
		}
		if len(p.queue) > 0 { // touched during the look
			if ctx.Err() != nil {
				return nil, wrapError("wait", ctx.Err())
			}
			continue
		}
		got, p.got = got+p.got, 0
		if p.spin.Again(park.Adaptive, got) {
			p.mu.Unlock()
			park.Yield()
			p.mu.Lock()
			continue
		}
		reason, err := p.park(ctx, rest)
		if err != nil {
			return nil, err
		}
		wait = reason != expired // after that only a last look
	}
}

// park sleeps, unless there is something to report already. p.mu is held, but not during
// the sleep.
func (p *Poller) park(ctx context.Context, rest time.Duration) (end, error) {
	// From here on edges and touches wake this goroutine. Collect earlier ones now.
	p.set.Arm()
	p.sleeping = true
	fds, err := p.collect()
	if err != nil || fds || len(p.queue) > 0 {
		p.calm()
		return woken, err
	}
	p.mu.Unlock()
	reason := p.sleep(ctx.Done(), rest)
	p.mu.Lock()
	if reason != woken {
		p.calm()
	}
	if reason == cancelled {
		return reason, wrapError("wait", ctx.Err())
	}
	return reason, nil
}

// sleep waits until the goroutine is woken, the time has passed, or done is closed. p.mu
// is not held.
func (p *Poller) sleep(done <-chan struct{}, rest time.Duration) end {
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

// end is the reason for the end of a sleep.
type end uint8

const (
	woken end = iota
	expired
	cancelled
)

// calm ends the sleeping state. If the goroutine has been woken already, calm takes the
// token. p.mu is held.
func (p *Poller) calm() {
	if p.sleeping {
		p.sleeping = false
		return
	}
	<-p.ready
}

// lookAround puts the ready events into p.events. p.mu is held. It is released during
// the looks at sockets, because their mutexes are locked before it.
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
		l.has, l.received = l.core.Look(l.entry, l.want)
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

// rotate puts a different event first in each round.
func (p *Poller) rotate() {
	if n := len(p.events); n > 1 {
		k := int(p.round % uint64(n))
		rotate(p.events, k)
		rotate(p.sources, k)
	}
}

// rotate moves the first k elements to the end.
func rotate[T any](list []T, k int) {
	slices.Reverse(list[:k])
	slices.Reverse(list[k:])
	slices.Reverse(list)
}

// report records the event of a socket and keeps the socket in the queue.
func (p *Poller) report(l look) {
	e := l.entry
	p.got += l.received - e.received
	e.received = l.received
	if e.gone || e.stopped {
		return
	}
	if has := e.wanted(Events(l.has)); has != 0 {
		p.note(e, Event{Socket: e.socket, Events: has})
		p.enqueue(e)
	}
}

// collect asks the kernel. Sockets that changed go into the queue, ready descriptors
// into the events. p.mu is held.
func (p *Poller) collect() (fds bool, err error) {
	p.found, err = p.set.Ready(p.found[:0])
	if err != nil {
		return false, wrapError("poll", err)
	}
	for _, r := range p.found {
		e := p.at(r.Key)
		switch {
		case e == nil:
		case e.socket != nil:
			p.enqueue(e)
		default:
			if has := e.wanted(Events(r.What)); has != 0 {
				fds = true
				p.reportFD(e, has)
			}
		}
	}
	return fds, nil
}

// reportFD records the event of a descriptor. It merges it with an earlier one of the
// same round.
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

// forget clears the events of the last round.
func (p *Poller) forget() {
	clear(p.sources)
	p.events, p.sources = p.events[:0], p.sources[:0]
}
