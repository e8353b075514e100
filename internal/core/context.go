package core

import (
	"cmp"
	"context"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Context is a libzmq context that any number of goroutines may use.
type Context struct {
	mu      sync.Mutex
	handle  libzmq.Context
	state   state
	started bool
	sockets map[*Socket]struct{}

	// A socket of our own, made with the context's threads. It keeps a place and
	// a descriptor for the work that zmq_ctx_term does, and that would abort the
	// process for want of them: see inprocNames.settle.
	reserve  libzmq.Socket
	inproc   inprocNames
	priority int
	sink     *sink       // nil until a socket is monitored
	most     int         // MaxSockets
	blind    atomic.Bool // TrackConnections is off

	lingers  lingers
	loses    atomic.Bool // a socket with ZMQ_CONFLATE uses inproc: its peers' messages can be lost, too
	watchdog watchdog
	term     chan struct{} // closed when zmq_ctx_term has returned
}

var prepareNetpoller sync.Once

// NewContext makes a context.
func NewContext() (*Context, error) {
	if err := libzmq.Load(); err != nil {
		return nil, err
	}
	// libzmq and Go's runtime both end the process when they find no descriptor
	// at a bad moment. Four are what a context and Go's netpoller take.
	if rc := libzmq.ProbeFDs(6); rc < 0 {
		return nil, noFDs(rc, 6)
	}
	prepareNetpoller.Do(startNetpoller)
	handle, rc := libzmq.OpenContext()
	if rc < 0 {
		return nil, errorOf(rc)
	}
	c := &Context{
		handle: handle, priority: -1,
		sockets: map[*Socket]struct{}{},
		term:    make(chan struct{}),
	}
	if n, rc := libzmq.GetContextOption(handle, libzmq.CtxMaxSockets); rc == 0 {
		c.setMaxSockets(n)
	}
	return c, nil
}

// startNetpoller makes Go's runtime set up its netpoller now, while descriptors
// are there.
func startNetpoller() {
	r, w, err := os.Pipe()
	if err == nil {
		r.Close()
		w.Close()
	}
}

func noFDs(rc, need int) error {
	return &Fault{syscall.Errno(-rc), "fewer than " + strconv.Itoa(need) + " file descriptors left; raise the limit (ulimit -n) or close something: libzmq aborts the process when it runs out of them"}
}

// setMaxSockets gives libzmq more places than the user is told of: for the reserve,
// for the sink, and for a monitor of each socket, and as many again for those that
// were closed and are still on their way out.
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

// Started reports whether the context's threads run, which the first socket
// starts. Some options can only be set before.
func (c *Context) Started() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.started
}

// SetOption sets a context option: zmq_ctx_set.
func (c *Context) SetOption(number, value int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == stateClosed {
		return ErrClosed
	}
	if number == libzmq.CtxMaxSockets {
		return errorOf(c.setMaxSockets(value))
	}
	rc := libzmq.SetContextOption(c.handle, number, value)
	if rc == 0 && number == libzmq.CtxThreadPriority {
		c.priority = value
	}
	return errorOf(rc)
}

// GetOption reads a context option: zmq_ctx_get.
func (c *Context) GetOption(number int) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == stateClosed {
		return 0, ErrClosed
	}
	if number == libzmq.CtxMaxSockets {
		return c.most, nil
	}
	v, rc := libzmq.GetContextOption(c.handle, number)
	return v, errorOf(rc)
}

// SetText sets a context option that is text: zmq_ctx_set_ext.
func (c *Context) SetText(number int, value string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == stateClosed {
		return ErrClosed
	}
	return errorOf(libzmq.SetContextText(c.handle, number, value))
}

// GetText reads a context option that is text: zmq_ctx_get_ext.
func (c *Context) GetText(number int) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == stateClosed {
		return "", ErrClosed
	}
	text, rc := libzmq.GetContextText(c.handle, number)
	return text, errorOf(rc)
}

// headRoom is the number of descriptors that must be free for a new socket: its
// own two, and some for the connections that libzmq accepts on its own threads,
// where running out of them aborts the process (ipc) or makes it spin (tcp).
const headRoom = 8

// checkRoom reports too few free descriptors for a socket, a bind or a connect.
func checkRoom() error {
	if rc := libzmq.ProbeFDs(headRoom); rc < 0 {
		return noFDs(rc, headRoom)
	}
	return nil
}

// NewSocket creates a socket. The first one starts the context's threads. With track, a PUB
// or XPUB counts the subscriptions of its peers.
func (c *Context) NewSocket(socketType int, track bool) (*Socket, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != stateOpen {
		return nil, c.state.err()
	}
	if !c.started {
		if err := c.start(); err != nil {
			return nil, err
		}
	}
	if err := checkRoom(); err != nil {
		return nil, err
	}
	var handle libzmq.Socket
	rc := -int(syscall.EMFILE)
	if len(c.sockets) < c.most {
		handle, rc = c.openSocket(socketType, track)
	}
	if rc == -int(syscall.EMFILE) {
		return nil, &Fault{syscall.EMFILE, "the context has no place for another socket; raise MaxSockets before its first socket, or close some"}
	}
	if rc < 0 {
		return nil, errorOf(rc)
	}
	s := newSocket(c, handle, socketType, track)
	if blocky, rc := libzmq.GetContextOption(c.handle, libzmq.CtxBlocky); rc == 0 && blocky == 0 {
		s.linger, s.lingerSet = 0, true // as libzmq has made it
	}
	c.sockets[s] = struct{}{}
	return s, nil
}

// start makes the first socket, and with it the context's threads. libzmq aborts
// the process when one of them cannot have its descriptors, cannot be started, or
// may not be scheduled as told, so all that is tried first.
func (c *Context) start() error {
	threads, _ := libzmq.GetContextOption(c.handle, libzmq.CtxIOThreads)
	threads++ // the reaper
	fds := 2*threads + headRoom
	if rc := libzmq.ProbeFDs(fds); rc < 0 {
		return noFDs(rc, fds)
	}
	policy, _ := libzmq.GetContextOption(c.handle, libzmq.CtxThreadPolicy)
	if rc := libzmq.ProbeThreads(threads, policy, c.priority); rc < 0 {
		detail := "the system lets this process start no " + strconv.Itoa(threads) + " more threads; raise the limit (ulimit -u, pids cgroup) or lower IOThreads"
		if policy >= 0 || c.priority >= 0 {
			detail = "the system does not allow threads with this scheduling policy and priority; leave out ThreadSchedPolicy and ThreadPriority, or grant CAP_SYS_NICE"
		}
		return &Fault{syscall.Errno(-rc), detail}
	}
	reserve, rc := libzmq.OpenSocket(c.handle, libzmq.Dealer)
	if rc < 0 {
		return errorOf(rc)
	}
	c.reserve, c.started = reserve, true
	return nil
}

// InprocBound reports whether an inproc name is bound in this context.
func (c *Context) InprocBound(name string) bool { return c.inproc.isBound(name) }

func (c *Context) forget(s *Socket) {
	c.mu.Lock()
	delete(c.sockets, s)
	c.mu.Unlock()
}

func (c *Context) snapshot(into []*Socket) []*Socket {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := range c.sockets {
		into = append(into, s)
	}
	return into
}

// Shutdown makes every call on the context's sockets, blocked or later, fail
// with ErrTerminated: zmq_ctx_shutdown. The sockets are still to be closed.
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
		c.sink.drain() // afterwards nothing can be received
		c.sink.endAll()
	}
	if c.started {
		c.inproc.settle(c.reserve) // afterwards nothing can be bound
	}
	return errorOf(libzmq.Shutdown(c.handle))
}

// terminate stops the socket. libzmq itself notices a shutdown only when it
// looks at the mailbox, thousands of sends later.
func (s *Socket) terminate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != stateOpen {
		return
	}
	period := s.lingerPeriod()
	if told := s.effectiveLinger(period); told != period || !s.lingerSet { // afterwards no option can be set
		setLinger(s.handle, told)
	}
	if s.track != nil {
		libzmq.MonitorStop(s.handle)
	}
	s.stop(stateTerminated)
}

// longestLinger is well within what libzmq counts milliseconds in, 31 bits.
const longestLinger = 20 * 24 * time.Hour

// Close closes the sockets that are still open, waits until messages that were
// not sent are sent or have lingered long enough, and frees the context:
// zmq_ctx_term. When ctx ends before that it returns a PendingError, and the rest
// is done in the background.
func (c *Context) Close(ctx context.Context) error {
	limit := time.Duration(-1)
	if deadline, ok := ctx.Deadline(); ok {
		// Sockets that are closed now give up soon after the caller does.
		limit = min(max(time.Until(deadline), 0), longestLinger) + 200*time.Millisecond
	}
	c.mu.Lock()
	first := c.state != stateClosed
	c.state = stateClosed
	c.mu.Unlock()
	if first {
		c.stopWatchdog()
		for _, s := range c.snapshot(nil) {
			// Its socket is gone afterwards whatever it returns.
			_ = s.close(limit, true)
		}
		go c.end()
	}
	select {
	case <-c.term:
		if names := c.lingers.cutShort(); first && len(names) > 0 { // the end, but only because sockets gave up
			// They do so after the deadline; the timer that ends ctx may be later still.
			return &PendingError{Sockets: names, Cause: cmp.Or(ctx.Err(), context.DeadlineExceeded)}
		}
		return nil
	case <-ctx.Done():
		return &PendingError{Sockets: c.lingers.pending(), Cause: ctx.Err()}
	}
}

// end frees the context when its sockets are closed. It blocks a thread: it is the one
// caller of zmq_ctx_term.
func (c *Context) end() {
	if c.sink != nil {
		c.sink.settle()
		_ = c.sink.sock.Close()
	}
	if c.started {
		c.inproc.settle(c.reserve)
		libzmq.CloseSocket(c.reserve, 0, true)
	}
	libzmq.Term(c.handle)
	close(c.term)
}

// PendingError says that a context was not closed in time.
type PendingError struct {
	Sockets []string // those that still held messages
	Cause   error
}

func (e *PendingError) Error() string {
	if len(e.Sockets) == 0 {
		return "the context is still closing: " + e.Cause.Error()
	}
	return "sockets still hold messages that were not sent (" + strings.Join(e.Sockets, ", ") + "): " + e.Cause.Error()
}

// Unwrap returns the error of the context.Context that ended the wait.
func (e *PendingError) Unwrap() error { return e.Cause }
