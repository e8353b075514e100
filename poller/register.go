package poller

import (
	"errors"
	"math"
	"strconv"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/readiness"
	"github.com/go-zmq/go-zmq/zmq"
)

// Add begins to wait for a socket, for In or Out or both. The sockets of a Poller may
// belong to several contexts, and one socket to several Pollers. Closing a socket
// removes it, and does not end a Poll or Wait under way. It fails with zmq.ErrClosed or
// zmq.ErrTerminated if the socket is closed or its context shut down, EINVAL if it is here
// already or the events make no sense, zmq.ErrNotSupported for a thread-safe draft type
// where libzmq lacks zmq_poller_fd. It does not wait. ZMQ_FD.
func (p *Poller) Add(s *zmq.Socket, events Events) error { return p.add(s, events, nil) }

func (p *Poller) add(s *zmq.Socket, events Events, h Handler) error {
	if p.unmade() {
		return errClosed("add")
	}
	c, err := socketOf("add", s)
	if err != nil {
		return err
	}
	if err := checkSocketEvents("add", events); err != nil {
		return err
	}
	return core.WrapError("poller add", c.Observe(&entry{poller: p, socket: s, core: c, interest: events, handler: h}))
}

// Update changes what is waited for of a socket. It fails with EINVAL if the socket is
// not here. It does not wait. zmq_poller_modify.
func (p *Poller) Update(s *zmq.Socket, events Events) error {
	if p.unmade() {
		return errClosed("update")
	}
	if _, err := socketOf("update", s); err != nil {
		return err
	}
	if err := checkSocketEvents("update", events); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e, err := p.entryOf("update", s)
	if err != nil {
		return err
	}
	e.interest = events
	p.enqueue(e)
	p.wakeUp()
	return nil
}

// Remove ends the waiting for a socket. It fails with EINVAL if the socket is not
// here, as when it was closed. A Poll that has found it ready at this moment may still
// return it. It does not wait. zmq_poller_remove.
func (p *Poller) Remove(s *zmq.Socket) error {
	if p.unmade() {
		return errClosed("remove")
	}
	c, err := socketOf("remove", s)
	if err != nil {
		return err
	}
	p.mu.Lock()
	e, err := p.entryOf("remove", s)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	if !c.Unobserve(e) {
		return errNotHere("remove", s) // another goroutine was first
	}
	return nil
}

// entryOf returns a socket's entry. p.mu is held.
func (p *Poller) entryOf(op string, s *zmq.Socket) (*entry, error) {
	if p.closed {
		return nil, errClosed(op)
	}
	e := p.sockets[s]
	if e == nil {
		return nil, errNotHere(op, s)
	}
	return e, nil
}

func errNotHere(op string, s *zmq.Socket) error {
	return invalid(op, "this "+s.Type().String()+" socket is not in the poller; it was never added, or it was removed or closed")
}

// AddFD begins to wait for a file descriptor of the system's, such as a connection's,
// for any of In, Out, Err and Pri. It remains the caller's, who removes it before
// closing it; one that was closed before is forgotten. It fails with EBADF if there is
// no such descriptor, EPERM if it is always ready (a file or a directory), EINVAL if it
// is here already or the events make no sense. It does not wait. zmq_poller_add_fd.
func (p *Poller) AddFD(fd uintptr, events Events) error { return p.addFD(fd, events, nil) }

func (p *Poller) addFD(fd uintptr, events Events, h Handler) error {
	if p.unmade() {
		return errClosed("add")
	}
	n, err := checkFD("add", fd, events)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed("add")
	}
	if old := p.fds[fd]; old != nil {
		if err := p.set.Change(n, old.key(), interestOf(old.interest)); err == nil {
			return invalid("add", "descriptor "+strconv.Itoa(n)+" is in the poller already; use UpdateFD to change its events")
		}
		p.drop(old) // closed since: the number is another descriptor's now
	}
	e := &entry{poller: p, fd: n, interest: events, handler: h}
	p.take(e)
	if err := p.set.Add(n, e.key(), interestOf(events)); err != nil {
		p.giveBack(e)
		return fdError("add", n, err)
	}
	p.fds[fd] = e
	return nil
}

// UpdateFD changes what is waited for of a descriptor. It fails with EINVAL if the
// descriptor is not here, EBADF if it was closed. It does not wait. zmq_poller_modify_fd.
func (p *Poller) UpdateFD(fd uintptr, events Events) error {
	if p.unmade() {
		return errClosed("update")
	}
	n, err := checkFD("update", fd, events)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e, err := p.entryOfFD("update", fd)
	if err != nil {
		return err
	}
	if err := p.set.Change(n, e.key(), interestOf(events)); err != nil {
		if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.EBADF) {
			p.drop(e)
			err = syscall.EBADF
		}
		return fdError("update", n, err)
	}
	e.interest = events
	return nil
}

// RemoveFD ends the waiting for a descriptor. It fails with EINVAL if the descriptor
// is not here. It does not wait. zmq_poller_remove_fd.
func (p *Poller) RemoveFD(fd uintptr) error {
	if p.unmade() {
		return errClosed("remove")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e, err := p.entryOfFD("remove", fd)
	if err == nil {
		p.drop(e)
	}
	return err
}

// entryOfFD returns a descriptor's entry. p.mu is held.
func (p *Poller) entryOfFD(op string, fd uintptr) (*entry, error) {
	if p.closed {
		return nil, errClosed(op)
	}
	e := p.fds[fd]
	if e == nil {
		return nil, invalid(op, "descriptor "+strconv.FormatUint(uint64(fd), 10)+" is not in the poller")
	}
	return e, nil
}

// giveBack frees the place of an entry that did not come to be. p.mu is held.
func (p *Poller) giveBack(e *entry) {
	e.gone = true
	p.free = append(p.free, e.index)
	e.socket, e.core, e.handler = nil, nil, nil
}

// The methods of core.Observer; the socket's mutex is held.

// Attach puts a socket into the Poller.
func (e *entry) Attach(fd int) error {
	p := e.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed("add")
	}
	if p.sockets[e.socket] != nil {
		return invalid("add", "this "+e.socket.Type().String()+" socket is in the poller already; use Update to change its events")
	}
	e.fd = fd
	p.take(e)
	if err := p.set.Add(fd, e.key(), readiness.Signal); err != nil {
		p.giveBack(e)
		return err
	}
	p.sockets[e.socket] = e
	p.enqueue(e)
	p.wakeUp()
	return nil
}

// SeesThefts is what the kernel's side says.
func (e *entry) SeesThefts() bool { return readiness.SeesThefts }

// Touched makes the next Poll look at the socket.
func (e *entry) Touched() {
	p := e.poller
	p.mu.Lock()
	if !e.queued {
		p.enqueue(e)
		p.wakeUp()
	}
	p.mu.Unlock()
}

// Saw makes the next Poll look at the socket if that is ready.
func (e *entry) Saw(events int) {
	p := e.poller
	p.mu.Lock()
	if !e.queued && Events(events)&e.interest != 0 {
		p.enqueue(e)
		p.wakeUp()
	}
	p.mu.Unlock()
}

// Stopped makes Poll fail if a context ended, and forgets a socket that is closed.
func (e *entry) Stopped(closed, withContext bool) {
	p := e.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.gone {
		return
	}
	if withContext && !e.stopped { // news
		p.gone = true
		p.wakeUp()
	}
	if closed {
		p.drop(e)
	} else if !e.stopped {
		e.stopped = true
		p.stopped++
	}
}

// Detach takes the socket out.
func (e *entry) Detach() {
	p := e.poller
	p.mu.Lock()
	if !e.gone {
		p.drop(e)
	}
	p.mu.Unlock()
}

func interestOf(e Events) readiness.Interest { return readiness.Interest(e) }

func socketOf(op string, s *zmq.Socket) (*core.Socket, error) {
	if c := core.SocketOf(s); c != nil {
		return c, nil
	}
	return nil, &zmq.Error{Op: "poller " + op, Errno: syscall.ENOTSOCK, Detail: "the socket is nil; make one with Context.NewSocket"}
}

func checkSocketEvents(op string, events Events) error {
	if err := checkEvents(op, events); err != nil {
		return err
	}
	if events&(In|Out) == 0 {
		return invalid(op, "a socket can be ready for In and Out only, not for "+events.String())
	}
	return nil
}

func checkEvents(op string, events Events) error {
	switch {
	case events == 0:
		return invalid(op, "no events: use In, Out, Err or Pri, or Remove what is not to be waited for")
	case events&^(In|Out|Err|Pri) != 0:
		return invalid(op, "unknown events "+events.String()+": use In, Out, Err and Pri")
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
	detail := "descriptor " + strconv.Itoa(fd)
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return core.WrapError("poller "+op, err)
	}
	switch errno {
	case syscall.EBADF:
		detail += " is not open"
	case syscall.EPERM:
		detail += " cannot be waited for: files and directories are always ready"
	}
	return core.WrapError("poller "+op, &core.Fault{Errno: errno, Detail: detail})
}

func invalid(op, detail string) error {
	return &zmq.Error{Op: "poller " + op, Errno: syscall.EINVAL, Detail: detail}
}

func errClosed(op string) error {
	return &zmq.Error{Op: "poller " + op, Errno: syscall.ENOTSOCK, Detail: "the poller is closed, or was not made with New"}
}
