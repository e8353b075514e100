package core

import (
	"cmp"
	"context"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/watch"
)

var openContexts atomic.Int64

// OpenContexts returns the number of contexts of the process that were created and have not
// finished closing. Package zmqtest blames nobody for what they own.
func OpenContexts() int64 { return openContexts.Load() }

// NewContext creates a context.
func NewContext() (*Context, error) {
	if err := libzmq.Load(); err != nil {
		return nil, err
	}
	// libzmq and the Go runtime both end the process if they find no free descriptor at a
	// bad moment. A context and Go's netpoller need four, and the pipe of StartNetpoller two.
	if err := checkFDs(6); err != nil {
		return nil, err
	}
	if err := StartNetpoller(); err != nil {
		return nil, err
	}
	handle, rc := libzmq.OpenContext()
	if rc < 0 {
		return nil, errorOf(rc)
	}
	openContexts.Add(1)
	c := &Context{
		handle: handle, priority: -1,
		sockets:  map[*Socket]struct{}{},
		inproc:   inprocNames{bound: map[string]*Socket{}, unbound: map[string]*unboundName{}},
		watchdog: watch.NewWatchdog(),
		term:     make(chan struct{}),
	}
	if n, rc := libzmq.GetContextOption(handle, libzmq.CtxMaxSockets); rc == 0 {
		c.setMaxSockets(n)
	}
	return c, nil
}

// checkFDs returns an error if fewer than the given number of descriptors are free.
func checkFDs(need int) error {
	rc := libzmq.ProbeFDs(need)
	if rc >= 0 {
		return nil
	}
	return fault.New(syscall.Errno(-rc), "there are fewer than "+strconv.Itoa(need)+" file descriptors left, and libzmq aborts the process when it runs out of them; raise the limit (ulimit -n) or close some")
}

// setMaxSockets gives libzmq more places than the user sets: one for the reserve, one for
// the sink, one for a monitor of each socket, and as many again for sockets that are
// closed but not yet released.
func (c *Context) setMaxSockets(n int) int {
	rc := libzmq.SetContextOption(c.handle, libzmq.CtxMaxSockets, 4*n+2)
	if rc < 0 { // with select there is an upper limit
		rc = libzmq.SetContextOption(c.handle, libzmq.CtxMaxSockets, n+1)
	}
	if rc == 0 {
		c.most = n
	}
	return rc
}

// Started reports whether the context's threads run. The first socket starts them. Some
// options can only be set before that.
func (c *Context) Started() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reserve != nil
}

// unlessClosed calls a function under the mutex unless the context is closed.
func (c *Context) unlessClosed(call func() int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == stateClosed {
		return ErrClosed
	}
	return errorOf(call())
}

// TrackConnections is the number of an option that libzmq does not have. It is 1 by
// default, which makes sockets track their connections from their first bind or connect.
const TrackConnections = -3

// SetOption sets a context option.
//
// Implements: zmq_ctx_set.
func (c *Context) SetOption(number, value int) error {
	return c.unlessClosed(func() (rc int) {
		switch number {
		case TrackConnections:
			c.blind.Store(value == 0)
			return 0
		case libzmq.CtxMaxSockets:
			return c.setMaxSockets(value)
		}
		rc = libzmq.SetContextOption(c.handle, number, value)
		if rc == 0 && number == libzmq.CtxThreadPriority {
			c.priority = value
		}
		return rc
	})
}

// GetOption returns the value of a context option.
//
// Implements: zmq_ctx_get.
func (c *Context) GetOption(number int) (value int, err error) {
	err = c.unlessClosed(func() (rc int) {
		switch {
		case number == libzmq.CtxMaxSockets:
			value = c.most
		case number != TrackConnections:
			value, rc = libzmq.GetContextOption(c.handle, number)
		case !c.blind.Load():
			value = 1
		}
		return rc
	})
	return value, err
}

// SetText sets a context option with a text value.
//
// Implements: zmq_ctx_set_ext.
func (c *Context) SetText(number int, value string) error {
	return c.unlessClosed(func() int { return libzmq.SetContextText(c.handle, number, value) })
}

// GetText returns the value of a context option with a text value.
//
// Implements: zmq_ctx_get_ext.
func (c *Context) GetText(number int) (text string, err error) {
	err = c.unlessClosed(func() (rc int) {
		text, rc = libzmq.GetContextText(c.handle, number)
		return rc
	})
	return text, err
}

// headRoom is the number of descriptors that must be free for a new socket, a bind or a
// connect. The socket itself needs two. The others are for connections that libzmq
// accepts on its own threads. If no descriptor is free there, libzmq aborts the process
// (ipc) or spins (tcp).
const headRoom = 8

// NewSocket creates a socket. The first socket starts the context's threads. With track,
// a PUB or XPUB counts the subscriptions of its peers.
func (c *Context) NewSocket(socketType int, track bool) (*Socket, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != stateOpen {
		return nil, c.state.err()
	}
	if c.reserve == nil {
		if err := c.start(); err != nil {
			return nil, err
		}
	}
	if err := checkFDs(headRoom); err != nil {
		return nil, err
	}
	var handle libzmq.Socket
	rc := -int(syscall.EMFILE)
	if len(c.sockets) < c.most {
		handle, rc = c.openSocket(socketType, track)
	}
	if rc == -int(syscall.EMFILE) {
		return nil, fault.New(syscall.EMFILE, "the context has no room for another socket; raise MaxSockets before the first socket is created, close some sockets, or wait until closed ones are released")
	}
	if rc < 0 {
		return nil, errorOf(rc)
	}
	s := newSocket(c, handle, socketType, track)
	blocky, rc := libzmq.GetContextOption(c.handle, libzmq.CtxBlocky)
	h := s.lock.Lock()
	if rc == 0 && blocky == 0 {
		h.linger, h.lingerSet = 0, true // the value that libzmq has set
	}
	h.setDefaultLinger()
	s.lock.Unlock()
	c.sockets[s] = struct{}{}
	return s, nil
}

// start creates the first socket, which starts the context's threads. libzmq aborts the
// process if a thread cannot be started, gets no descriptors, or may not use the
// requested scheduling. So start first checks that all of this is possible.
func (c *Context) start() error {
	threads, _ := libzmq.GetContextOption(c.handle, libzmq.CtxIOThreads)
	threads++ // the reaper
	if err := checkFDs(2*threads + headRoom); err != nil {
		return err
	}
	policy, _ := libzmq.GetContextOption(c.handle, libzmq.CtxThreadPolicy)
	if rc := libzmq.ProbeThreads(threads, policy, c.priority); rc < 0 {
		detail := "the system does not let this process start " + strconv.Itoa(threads) + " more threads; raise the limit (ulimit -u, pids cgroup) or lower IOThreads"
		if policy >= 0 || c.priority >= 0 {
			detail = "the system does not allow threads with this scheduling policy and priority; do not set ThreadSchedPolicy and ThreadPriority, or grant CAP_SYS_NICE"
		}
		return fault.New(syscall.Errno(-rc), detail)
	}
	reserve, rc := libzmq.OpenSocket(c.handle, libzmq.Dealer)
	if rc < 0 {
		return errorOf(rc)
	}
	c.reserve = reserve
	return nil
}

func (c *Context) forget(s *Socket) {
	c.mu.Lock()
	delete(c.sockets, s)
	c.mu.Unlock()
}

// snapshot appends the sockets of the context and, if requested, that of its sink.
func (c *Context) snapshot(into []*Socket, withSink bool) []*Socket {
	c.mu.Lock()
	defer c.mu.Unlock()
	if withSink && c.sink != nil {
		into = append(into, c.sink.sock)
	}
	for s := range c.sockets {
		into = append(into, s)
	}
	return into
}

// Shutdown makes every call on the context's sockets, blocked or later, fail with
// ErrTerminated. The sockets must still be closed.
//
// Implements: zmq_ctx_shutdown.
func (c *Context) Shutdown() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != stateOpen {
		return nil
	}
	c.state = stateTerminated
	for s := range c.sockets {
		s.terminate()
	}
	if c.sink != nil {
		c.sink.drain() // nothing can be received afterwards
		c.sink.dropAll()
	}
	if c.reserve != nil {
		c.inproc.settle(c.reserve) // nothing can be bound afterwards
	}
	return errorOf(libzmq.Shutdown(c.handle))
}

// terminate stops the socket. libzmq itself notices a shutdown only when it processes the
// mailbox, which can be thousands of sends later.
func (s *Socket) terminate() {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	if h.state != stateOpen {
		return
	}
	setLinger(h.handle, h.effectiveLinger(h.linger)) // no option can be set later
	if h.track != nil {
		libzmq.MonitorStop(h.handle)
	}
	h.stop(stateTerminated)
}

// longestLinger is well within the range of libzmq's milliseconds, which have 31 bits.
const longestLinger = 20 * 24 * time.Hour

// Close closes the sockets that are still open, waits until unsent messages are sent or
// their linger periods end, and frees the context. If ctx ends first, Close returns a
// fault.Unclosed and the rest is done in the background.
//
// Implements: zmq_ctx_term.
func (c *Context) Close(ctx context.Context) error {
	limit := time.Duration(-1)
	if deadline, ok := ctx.Deadline(); ok {
		// Sockets that are closed now stop lingering soon after ctx ends.
		limit = min(max(time.Until(deadline), 0), longestLinger) + 200*time.Millisecond
	}
	c.mu.Lock()
	first := c.state != stateClosed
	c.state = stateClosed
	c.mu.Unlock()
	if first {
		c.watchdog.Stop()
		for _, s := range c.snapshot(nil, false) {
			// The socket is closed afterwards, even if close returns an error.
			_ = s.close(limit, true)
		}
		go c.end()
	}
	select {
	case <-c.term:
		if names := c.lingers.unsent(true); first && len(names) > 0 {
			// The context is freed, but only because sockets stopped lingering.
			// They stop after the deadline. The timer that ends ctx may be even later.
			return &fault.Unclosed{Sockets: names, Cause: cmp.Or(ctx.Err(), context.DeadlineExceeded)}
		}
		return nil
	case <-ctx.Done():
		return &fault.Unclosed{Sockets: c.lingers.unsent(false), Cause: ctx.Err()}
	}
}

// end frees the context when its sockets are closed. It blocks a thread, because it is
// the only caller of zmq_ctx_term.
func (c *Context) end() {
	if c.sink != nil {
		c.sink.settle()
		_ = c.sink.sock.Close()
	}
	if c.reserve != nil {
		c.inproc.settle(c.reserve)
		libzmq.CloseSocket(c.reserve, 0, false)
	}
	libzmq.Term(c.handle)
	openContexts.Add(-1)
	close(c.term)
}
