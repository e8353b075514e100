package poller

import (
	"math"
	"strconv"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/readiness"
	"github.com/go-zmq/go-zmq/zmq"
)

// Add adds a socket, to wait for In, Out or both. With 0 the socket is paused: it reports
// nothing until Update gives it events. The sockets of a Poller may belong to different
// contexts, and a socket may be in several Pollers. Closing a socket removes it and does
// not end a Poll or Wait under way. Add does not block.
//
// It fails with zmq.ErrClosed if the socket is closed, and with zmq.ErrTerminated if its
// context was shut down. It fails with EINVAL if the socket was added before or the events
// are invalid. It fails with zmq.ErrNotSupported for a thread-safe draft type if libzmq
// lacks zmq_poller_fd.
//
// Implements: zmq_poller_add, zmq_getsockopt(ZMQ_FD).
func (p *Poller) Add(s *zmq.Socket, events Events) error { return p.add(s, events, nil) }

func (p *Poller) add(s *zmq.Socket, events Events, h Handler) error {
	if p.unmade() {
		return errClosed("add")
	}
	c, err := socketOf("add", s, events)
	if err != nil {
		return err
	}
	return wrapError("add", c.Observe(&entry{poller: p, socket: s, core: c, interest: events, handler: h}))
}

// Update replaces the events of a socket; 0 pauses it. It does not block. It fails with
// EINVAL if the socket is not in the Poller.
//
// Implements: zmq_poller_modify.
func (p *Poller) Update(s *zmq.Socket, events Events) error {
	if _, err := socketOf("update", s, events); err != nil {
		return err
	}
	if err := p.lock("update"); err != nil {
		return err
	}
	defer p.mu.Unlock()
	e := p.entries[s]
	if e == nil {
		return errNotHere("update", nameOf(s))
	}
	e.interest = events
	p.enqueue(e)
	p.wakeUp()
	return nil
}

// Remove removes a socket. A Poll that has just found the socket ready may still return
// it. Remove does not block. It fails with EINVAL if the socket is not in the Poller, for
// example because it was closed.
//
// Implements: zmq_poller_remove.
func (p *Poller) Remove(s *zmq.Socket) error {
	c, err := socketOf("remove", s, 0)
	if err != nil {
		return err
	}
	if err := p.lock("remove"); err != nil {
		return err
	}
	e := p.entries[s]
	p.mu.Unlock()
	if e == nil || !c.Unobserve(e) { // another goroutine was first
		return errNotHere("remove", nameOf(s))
	}
	return nil
}

// lock locks p.mu, or returns an error if the Poller is closed.
func (p *Poller) lock(op string) error {
	if p.unmade() {
		return errClosed(op)
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return errClosed(op)
	}
	return nil
}

func nameOf(s *zmq.Socket) string { return "this " + s.Type().String() + " socket" }
func nameOfFD(fd int) string      { return "descriptor " + strconv.Itoa(fd) }

// errNotHere returns the error for a socket or a descriptor that is not in the Poller.
func errNotHere(op, name string) error {
	return invalid(op, name+" is not in the poller; it was never added, or was removed or closed")
}

// AddFD adds a file descriptor of the operating system, such as that of a connection, to
// wait for any of In, Out, Err and Pri. With 0 the descriptor is paused, like a socket in
// Add. The caller still owns the descriptor, and must call RemoveFD before closing it.
// The Poller drops a descriptor that was closed before it was removed. AddFD does not
// block.
//
// It fails with EBADF if the descriptor is not open, and with EPERM if it is always ready
// (a file or a directory). It fails with EINVAL if it was added before or the events are
// invalid.
//
// Implements: zmq_poller_add_fd.
func (p *Poller) AddFD(fd uintptr, events Events) error { return p.addFD(fd, events, nil) }

func (p *Poller) addFD(fd uintptr, events Events, h Handler) error {
	n, err := checkFD("add", fd, events)
	if err != nil {
		return err
	}
	if err := p.lock("add"); err != nil {
		return err
	}
	defer p.mu.Unlock()
	if old := p.entries[fd]; old != nil {
		if err := p.set.Change(n, old.key(), interestOf(old.interest)); err == nil {
			return invalid("add", nameOfFD(n)+" is already in the poller; use UpdateFD to change its events")
		}
		p.drop(old) // it was closed, and another descriptor has its number now
	}
	e := &entry{poller: p, fd: n, interest: events, handler: h}
	p.take(e)
	if err := p.set.Add(n, e.key(), interestOf(events)); err != nil {
		p.giveBack(e)
		return fdError("add", n, err)
	}
	p.entries[fd] = e
	return nil
}

// UpdateFD replaces the events of a descriptor; 0 pauses it. It does not block. It fails
// with EINVAL if the descriptor is not in the Poller, and with EBADF if it was closed.
//
// Implements: zmq_poller_modify_fd.
func (p *Poller) UpdateFD(fd uintptr, events Events) error {
	n, err := checkFD("update", fd, events)
	if err != nil {
		return err
	}
	if err := p.lock("update"); err != nil {
		return err
	}
	defer p.mu.Unlock()
	e := p.entries[fd]
	if e == nil {
		return errNotHere("update", nameOfFD(n))
	}
	if err := p.set.Change(n, e.key(), interestOf(events)); err != nil {
		if err == syscall.ENOENT || err == syscall.EBADF {
			p.drop(e)
			err = syscall.EBADF
		}
		return fdError("update", n, err)
	}
	e.interest = events
	return nil
}

// RemoveFD removes a descriptor. It does not block. It fails with EINVAL if the descriptor
// is not in the Poller.
//
// Implements: zmq_poller_remove_fd.
func (p *Poller) RemoveFD(fd uintptr) error {
	if err := p.lock("remove"); err != nil {
		return err
	}
	defer p.mu.Unlock()
	e := p.entries[fd]
	if e == nil {
		return errNotHere("remove", nameOfFD(int(fd)))
	}
	p.drop(e)
	return nil
}

// giveBack frees the slot of an entry that could not be added. p.mu is held.
func (p *Poller) giveBack(e *entry) {
	e.gone = true
	p.free = append(p.free, e.index)
	e.socket, e.core, e.handler = nil, nil, nil
}

// The methods of core.Observer. The socket's mutex is held.

// Attach adds the socket to the Poller.
func (e *entry) Attach(fd int) error {
	p := e.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed("add")
	}
	if p.entries[e.socket] != nil {
		return invalid("add", nameOf(e.socket)+" is already in the poller; use Update to change its events")
	}
	e.fd = fd
	if old := p.entries[uintptr(fd)]; old != nil {
		p.drop(old) // it was closed, and the socket's descriptor has its number now
	}
	p.take(e)
	if err := p.set.Add(fd, e.key(), readiness.Signal); err != nil {
		p.giveBack(e)
		return err
	}
	p.entries[e.socket] = e
	p.enqueue(e)
	p.wakeUp()
	return nil
}

// SeesThefts reports whether edges show that another goroutine processed a command.
func (e *entry) SeesThefts() bool { return readiness.SeesThefts }

// Touched makes the next Poll look at the socket if it waits for one of the events.
func (e *entry) Touched(events int) {
	p := e.poller
	p.mu.Lock()
	if !e.queued && Events(events)&e.interest != 0 {
		p.enqueue(e)
		p.wakeUp()
	}
	p.mu.Unlock()
}

// Stopped makes Poll fail if a context was shut down, and removes the socket if its
// observation has ended.
func (e *entry) Stopped(ended, withContext bool) {
	p := e.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.gone {
		return
	}
	if withContext && !e.stopped { // not known yet
		p.gone = true
		p.wakeUp()
	}
	if ended {
		p.drop(e)
	} else if !e.stopped {
		e.stopped = true
		p.stopped++
	}
}

func interestOf(e Events) readiness.Interest { return readiness.Interest(e) }

// socketOf returns the core of a socket that can be ready for the events.
func socketOf(op string, s *zmq.Socket, events Events) (*core.Socket, error) {
	if s == nil || *core.Of(s) == nil {
		return nil, &zmq.Error{Op: "poller " + op, Errno: syscall.ENOTSOCK, Detail: "the socket is nil; create one with Context.NewSocket"}
	}
	err := checkEvents(op, events)
	if err == nil && events != 0 && events&(In|Out) == 0 {
		err = invalid(op, "a socket can be ready for In and Out, not for "+events.String())
	}
	return *core.Of(s), err
}

func checkEvents(op string, events Events) error {
	if events&^(In|Out|Err|Pri) != 0 {
		return invalid(op, "unknown events "+events.String()+"; use In, Out, Err and Pri")
	}
	return nil
}

func checkFD(op string, fd uintptr, events Events) (int, error) {
	if err := checkEvents(op, events); err != nil {
		return 0, err
	}
	if fd > math.MaxInt32 {
		return 0, fdError(op, int(fd), syscall.EBADF)
	}
	return int(fd), nil
}

func fdError(op string, fd int, err error) error {
	detail := nameOfFD(fd)
	errno, _ := err.(syscall.Errno) // a Set returns no other errors for a descriptor
	switch errno {
	case syscall.EBADF:
		detail += " is not open"
	case syscall.EPERM:
		detail += " is a file or directory, which is always ready and cannot be polled"
	default:
		detail += ": " + errno.Error()
	}
	return &zmq.Error{Op: "poller " + op, Errno: errno, Detail: detail}
}

// wrapError converts an error of package core or of the system. It returns nil and errors of
// this package unchanged.
func wrapError(op string, err error) error {
	if _, done := err.(*zmq.Error); done || err == nil {
		return err
	}
	e := &zmq.Error{Op: "poller " + op}
	e.Errno, e.Detail, *core.Of(e) = fault.Explain(err)
	return e
}

func invalid(op, detail string) error {
	return &zmq.Error{Op: "poller " + op, Errno: syscall.EINVAL, Detail: detail}
}

func errClosed(op string) error {
	return &zmq.Error{Op: "poller " + op, Errno: syscall.ENOTSOCK, Detail: "the poller is closed, or was not created with New"}
}
