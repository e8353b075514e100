package poller

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/zmq"
)

// Handler is called by a Reactor with an event. The socket is ready, unless another
// goroutine or an earlier handler has used it. Use zmq.DontWait for operations in a
// handler, because a handler that blocks delays all others. An error ends [Reactor.Run].
type Handler func(Event) error

// Reactor calls handlers for sockets and descriptors that are ready, and functions for
// timers. The goroutine in Run calls all of them, one after the other, so that data used
// only by them needs no lock. Any goroutine, including a handler, may call the methods at
// any time; only one goroutine at a time may be in Run. Create one with [NewReactor] and
// close it with Close.
type Reactor struct {
	poller *Poller

	mu      sync.Mutex
	timers  timers
	round   uint64 // in which timers run
	running atomic.Bool
}

// NewReactor creates a Reactor. It does not block. It fails if the process has no file
// descriptor left.
//
// It corresponds to zloop_new of CZMQ.
func NewReactor() (*Reactor, error) {
	p, err := New()
	if err != nil {
		return nil, err
	}
	return &Reactor{poller: p}, nil
}

// its returns the Poller, or nil.
func (r *Reactor) its() *Poller {
	if r == nil {
		return nil
	}
	return r.poller
}

// Handle registers h for a socket and In, Out or both. Run calls h once in each round in
// which the socket is ready for one of the events. Closing the socket removes its
// handler. Handle fails like [Poller.Add], and with EINVAL if h is nil.
//
// It corresponds to zloop_reader of CZMQ.
func (r *Reactor) Handle(s *zmq.Socket, events Events, h Handler) error {
	if h == nil {
		return invalid("handle", "the handler is nil")
	}
	return r.its().add(s, events, h)
}

// HandleFD registers h for a descriptor. Run calls h once in each round in which the
// descriptor is ready for one of the events or has an error. It fails like [Poller.AddFD],
// and with EINVAL if h is nil.
//
// It corresponds to zloop_poller of CZMQ.
func (r *Reactor) HandleFD(fd uintptr, events Events, h Handler) error {
	if h == nil {
		return invalid("handle", "the handler is nil")
	}
	return r.its().addFD(fd, events, h)
}

// Update replaces the events of a socket's handler; 0 pauses it. It fails like
// [Poller.Update].
func (r *Reactor) Update(s *zmq.Socket, events Events) error { return r.its().Update(s, events) }

// UpdateFD replaces the events of a descriptor's handler; 0 pauses it. It fails like
// [Poller.UpdateFD].
func (r *Reactor) UpdateFD(fd uintptr, events Events) error { return r.its().UpdateFD(fd, events) }

// Remove removes a socket and its handler. If a handler or a timer's function removes the
// socket, its handler is not called again. It fails like [Poller.Remove].
//
// It corresponds to zloop_reader_end of CZMQ.
func (r *Reactor) Remove(s *zmq.Socket) error { return r.its().Remove(s) }

// RemoveFD removes a descriptor and its handler. It fails like [Poller.RemoveFD].
//
// It corresponds to zloop_poller_end of CZMQ.
func (r *Reactor) RemoveFD(fd uintptr) error { return r.its().RemoveFD(fd) }

// After calls f once: when d has passed, or in the next round if d is not positive. With
// d = 0, any goroutine can have a function run on the Reactor's goroutine. After does not
// block. It fails with EINVAL if f is nil and with zmq.ErrClosed if the Reactor is
// closed.
//
// It corresponds to zloop_timer of CZMQ.
func (r *Reactor) After(d time.Duration, f func() error) (*Timer, error) {
	return r.schedule("after", d, 0, f)
}

// Every calls f at intervals of d, starting after d. The calls are due at multiples of d
// after the start, however long each call takes. If several due times pass while the
// Reactor is busy, f is called once for all of them. Every does not block. It fails with
// EINVAL if d is not positive or f is nil, and with zmq.ErrClosed if the Reactor is
// closed.
//
// It corresponds to zloop_timer of CZMQ.
func (r *Reactor) Every(d time.Duration, f func() error) (*Timer, error) {
	if d <= 0 {
		return nil, invalid("every", "the interval "+d.String()+" is not positive")
	}
	return r.schedule("every", d, d, f)
}

func (r *Reactor) schedule(op string, d, interval time.Duration, f func() error) (*Timer, error) {
	if f == nil {
		return nil, invalid(op, "the function is nil")
	}
	if r.its() == nil {
		return nil, errClosed(op)
	}
	t := &Timer{reactor: r, when: time.Now().Add(max(d, 0)), interval: interval, f: f}
	r.mu.Lock()
	t.round = r.round
	r.timers.add(t)
	r.mu.Unlock()
	// Run may be asleep until a later time.
	if err := r.poller.Wake(); err != nil {
		t.Cancel()
		return nil, err
	}
	return t, nil
}

// Run calls handlers and timer functions until ctx is done or one of them fails. In each
// round it calls the functions of the timers that are due, and after them the handlers of
// everything that is ready. It may be called again.
//
// When ctx is done, the error wraps ctx.Err(). The error of a handler or function is
// returned unchanged. Run fails with zmq.ErrClosed when the Reactor is closed, with
// zmq.ErrTerminated when the context of one of its sockets is shut down, and with
// zmq.ErrState when another goroutine is in Run. A nil ctx returns EINVAL.
//
// It corresponds to zloop_start of CZMQ.
func (r *Reactor) Run(ctx context.Context) error {
	if r.its() == nil {
		return errClosed("run")
	}
	if !r.running.CompareAndSwap(false, true) {
		return &zmq.Error{Op: "poller run", Errno: libzmq.EFSM, Detail: "another goroutine is in Run"}
	}
	defer r.running.Store(false)
	for {
		events, err := r.poller.waitUntil(ctx, r.nextTime())
		if err != nil {
			return err
		}
		if err := r.runTimers(ctx); err != nil {
			return err
		}
		for i, event := range events {
			if ctx.Err() != nil {
				break // the next Run finds the rest still ready
			}
			// Look it up only now, because an earlier handler may have removed it.
			if h, has := r.poller.handlerOf(i, event); h != nil {
				event.Events = has
				if err := h(event); err != nil {
					return err
				}
			}
		}
	}
}

// nextTime returns the time of the next timer, or zero without timers.
func (r *Reactor) nextTime() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.timers.next(); t != nil {
		return t.when
	}
	return time.Time{}
}

// runTimers calls the functions of the timers that are due now. Timers that these
// functions create wait for the next round.
func (r *Reactor) runTimers(ctx context.Context) error {
	now := time.Now()
	r.mu.Lock()
	r.round++
	round := r.round
	r.mu.Unlock()
	for ctx.Err() == nil {
		r.mu.Lock()
		t := r.timers.takeDue(now, round)
		r.mu.Unlock()
		if t == nil {
			break
		}
		if err := t.f(); err != nil {
			return err
		}
	}
	return nil
}

// Close frees the Reactor and does not block. A Run under way and later calls return
// zmq.ErrClosed. Sockets and descriptors stay open. Further calls of Close do nothing.
//
// It corresponds to zloop_destroy of CZMQ.
func (r *Reactor) Close() error { return r.its().Close() }

// Timer is a scheduled function of a Reactor, created by After or Every. Any goroutine
// may call Cancel.
type Timer struct {
	reactor  *Reactor
	when     time.Time
	order    uint64        // among the timers that are due at the same time
	at       int           // its place in the heap, counted from 1; 0 if it is not there
	round    uint64        // in which it was created
	interval time.Duration // 0: once
	f        func() error
}

// Cancel stops the timer and does not block. Its function is not called again, but a call
// under way continues. Cancel reports whether it prevented a call.
//
// It corresponds to zloop_timer_end of CZMQ.
func (t *Timer) Cancel() bool {
	if t == nil || t.reactor == nil {
		return false
	}
	t.reactor.mu.Lock()
	defer t.reactor.mu.Unlock()
	return t.reactor.timers.remove(t)
}

// handlerOf returns the handler for the i-th event of the last Poll, and those of its
// events that are still wanted.
func (p *Poller) handlerOf(i int, event Event) (Handler, Events) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, 0
	}
	e := p.sources[i]
	if e.gone {
		return nil, 0
	}
	if has := e.wanted(event.Events); has != 0 {
		return e.handler, has
	}
	return nil, 0
}
