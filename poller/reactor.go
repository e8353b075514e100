package poller

import (
	"context"
	"sync"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/zmq"
)

// Handler is called by a Reactor with an event. The socket is ready at this moment
// unless another goroutine or an earlier handler has used it, so that operations are best tried with
// zmq.DontWait: one that waits keeps all handlers from being called. An error ends
// [Reactor.Run].
type Handler func(Event) error

// Reactor calls handlers: for sockets and descriptors that are ready, and for timers.
// All are called by the goroutine that is in Run, one after the other, so that what
// only they use needs no lock. The methods may be called by handlers and by any other
// goroutine at any time; Run by one goroutine at a time. Make one with [NewReactor] and
// close it with Close.
type Reactor struct {
	poller *Poller

	mu      sync.Mutex
	timers  timers
	running bool
}

// NewReactor makes a Reactor. It fails when the process has no descriptor left.
// zloop_new.
func NewReactor() (*Reactor, error) {
	p, err := New()
	if err != nil {
		return nil, err
	}
	return &Reactor{poller: p}, nil
}

// its returns the Poller, nil without one.
func (r *Reactor) its() *Poller {
	if r == nil {
		return nil
	}
	return r.poller
}

// Handle has h called whenever the socket is ready for one of the events, In or Out or
// both; as long as it is ready, once in each round. Closing the socket ends that. It
// fails as [Poller.Add] does. zloop_reader.
func (r *Reactor) Handle(s *zmq.Socket, events Events, h Handler) error {
	if h == nil {
		return invalid("handle", "the handler is nil")
	}
	return r.its().add(s, events, h)
}

// HandleFD has h called whenever the descriptor is ready for one of the events, or has
// an error. It fails as [Poller.AddFD] does. zloop_poller.
func (r *Reactor) HandleFD(fd uintptr, events Events, h Handler) error {
	if h == nil {
		return invalid("handle", "the handler is nil")
	}
	return r.its().addFD(fd, events, h)
}

// Update changes the events for which the socket's handler is called. It fails as
// [Poller.Update] does.
func (r *Reactor) Update(s *zmq.Socket, events Events) error { return r.its().Update(s, events) }

// UpdateFD changes the events for which the descriptor's handler is called. It fails as
// [Poller.UpdateFD] does.
func (r *Reactor) UpdateFD(fd uintptr, events Events) error { return r.its().UpdateFD(fd, events) }

// Remove ends the handling of a socket. When a handler, or a timer's function, removes
// it, its handler is not called any more. It fails as [Poller.Remove] does.
// zloop_reader_end.
func (r *Reactor) Remove(s *zmq.Socket) error { return r.its().Remove(s) }

// RemoveFD ends the handling of a descriptor. It fails as [Poller.RemoveFD] does.
// zloop_poller_end.
func (r *Reactor) RemoveFD(fd uintptr) error { return r.its().RemoveFD(fd) }

// After has f called once, after d, or in the next round if d is not positive: that is
// how another goroutine has something done by the Reactor's. zloop_timer.
func (r *Reactor) After(d time.Duration, f func() error) (*Timer, error) {
	return r.schedule("after", d, 0, f)
}

// Every has f called each d, which must be positive, for the first time after d. The
// times are those of the start plus multiples of d, whatever the calls take; a time that
// passes while the Reactor is busy is made up for by one call, not by many. zloop_timer.
func (r *Reactor) Every(d time.Duration, f func() error) (*Timer, error) {
	if d <= 0 {
		return nil, invalid("every", "an interval of "+d.String()+": use a positive one")
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
	r.timers.add(t)
	r.mu.Unlock()
	// Run may be asleep until a later time.
	if err := r.poller.Wake(); err != nil {
		t.Cancel()
		return nil, err
	}
	return t, nil
}

// Run calls handlers until ctx ends, and then returns an error that wraps that of ctx;
// or until a handler or a timer's function fails, and then returns its error as it is.
// In each round it calls the functions of the timers that are due, then the handlers of
// what is ready. It may be called again. It fails with zmq.ErrClosed when the Reactor
// is closed, with zmq.ErrTerminated when the context of one of its sockets is shut
// down, and with zmq.ErrState when it is being run by another goroutine. zloop_start.
func (r *Reactor) Run(ctx context.Context) error {
	if r.its() == nil {
		return errClosed("run")
	}
	if !r.enter() {
		return &zmq.Error{Op: "poller run", Errno: libzmq.EFSM, Detail: "another goroutine is in Run"}
	}
	defer r.leave()
	for {
		events, err := r.poller.waitUntil(ctx, r.nextTime())
		if err != nil {
			return err
		}
		if err := r.runTimers(ctx); err != nil {
			return err
		}
		for i, event := range events {
			if ctx != nil && ctx.Err() != nil {
				break // what is ready remains so
			}
			// Looked up only now: an earlier handler may have removed it.
			if h, has := r.poller.handlerOf(i, event); h != nil {
				event.Events = has
				if err := h(event); err != nil {
					return err
				}
			}
		}
	}
}

func (r *Reactor) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := !r.running
	r.running = true
	return first
}

func (r *Reactor) leave() {
	r.mu.Lock()
	r.running = false
	r.mu.Unlock()
}

// nextTime returns when the next timer is due, zero without timers.
func (r *Reactor) nextTime() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.timers.list) == 0 {
		return time.Time{}
	}
	return r.timers.list[0].when
}

// runTimers calls the functions of the timers that are due now. Those that they
// schedule wait for the next round.
func (r *Reactor) runTimers(ctx context.Context) error {
	now := time.Now()
	for ctx == nil || ctx.Err() == nil {
		r.mu.Lock()
		t := r.timers.takeDue(now)
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

// Close frees the Reactor. A Run under way, and whatever is called later, returns
// zmq.ErrClosed; sockets and descriptors stay open. It does not wait. Further calls do
// nothing. zloop_destroy.
func (r *Reactor) Close() error { return r.its().Close() }

// Timer is what After and Every return. Its method may be called by any goroutine.
type Timer struct {
	reactor  *Reactor
	when     time.Time
	interval time.Duration // 0: once
	number   uint64        // orders those of the same time
	index    int           // in the heap; -1: not in it
	f        func() error
}

// Cancel ends the timer: its function is not called any more, unless it is being called
// at this moment. It reports whether a call was to come. zloop_timer_end.
func (t *Timer) Cancel() bool {
	if t == nil || t.reactor == nil {
		return false
	}
	t.reactor.mu.Lock()
	defer t.reactor.mu.Unlock()
	return t.reactor.timers.remove(t)
}

// handlerOf returns the handler that the i-th event of the last Poll is for, and what it
// is for, if that is still wanted.
func (p *Poller) handlerOf(i int, event Event) (Handler, Events) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, 0
	}
	e, always := p.sources[i], Events(0)
	if event.Socket == nil {
		always = Err
	}
	if has := event.Events & (e.interest | always); has != 0 && !e.gone {
		return e.handler, has
	}
	return nil, 0
}
