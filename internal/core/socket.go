package core

import (
	"cmp"
	"context"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/inbox"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/park"
	"github.com/go-zmq/go-zmq/internal/peertable"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// Socket is a libzmq socket that any number of goroutines may use. The package comment
// says how that works.
type Socket struct {
	mu       sync.Mutex
	handle   libzmq.Socket
	state    state
	plain    bool          // see classify
	duplex   bool          // waiters of the other direction rely on the descriptor alone
	flags    int           // flags for the shims on each call
	done     chan struct{} // closed when the socket cannot be used any more
	endpoint string        // the last one, for reports
	stats    Stats

	in      inbox.Queue
	out     outgoing // parts collected by SendMore
	portion portion  // of a batch

	limit    [2]time.Duration // by Direction: RecvTimeout, SendTimeout; negative: none
	spinTime time.Duration    // of a receive before it parks; negative: adaptive
	spin     park.Spin        // of a receiver before it parks
	lastWait uint64           // messages received at the last wait
	lists    [2]park.List
	crowd    *crowd // the senders, if libzmq cannot say whether they can continue; otherwise nil
	watchState
	observers []Observer
	touching  bool // operations call their Touched

	ctx *Context
	typ rules.Type
	lingerState
	peers peertable.Table
	track *track // nil until the socket is monitored
	*special
}

// special is the state of particular types, options and transports. Straight calls do not
// read it. Socket.mu guards it.
type special struct {
	inprocEnds
	options  rules.Options
	udp      bool           // messages become UDP datagrams
	learns   bool           // TrackPeers
	full     FullPolicy     // of a PUB or XPUB
	subs     *subscriptions // of a PUB or XPUB that tracks them, otherwise nil
	pollable bool           // has a ZMQ_FD: all but the thread-safe draft types
	signal   libzmq.Signal  // replaces ZMQ_FD for the thread-safe types
	reserve  *os.File       // without ZMQ_FD: close frees it for libzmq's reaper
	onClose  func()         // nil: none
}

type state uint8

const (
	stateOpen state = iota
	stateTerminated
	stateClosed
)

func (s state) err() error {
	switch s {
	case stateTerminated:
		return ErrTerminated
	case stateClosed:
		return ErrClosed
	}
	return nil
}

func newSocket(c *Context, handle libzmq.Socket, socketType int, track bool) *Socket {
	s := &Socket{ctx: c, typ: rules.Type(socketType), special: new(special), done: make(chan struct{})}
	s.names, s.pairs = map[string]struct{}{}, map[*inprocPair]struct{}{}
	s.peers.Raw.Store(socketType == libzmq.Stream)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.init(handle, track)
	return s
}

// init prepares the state of a new socket.
func (s *Socket) init(handle libzmq.Socket, track bool) {
	s.handle, s.fdNum, s.pollable = handle, -1, true
	s.limit, s.spinTime = [2]time.Duration{-1, -1}, park.Adaptive
	s.linger = DefaultLinger
	if s.typ.Subscribes() {
		s.linger, s.lingerSet = 0, true
	}
	s.in.Init()
	if track {
		s.subs = &subscriptions{pub: s.typ == libzmq.Pub}
	}
	s.flags = s.typ.Flags()
	s.udp = s.typ == libzmq.Dgram
	if s.flags&libzmq.Inexact != 0 {
		s.crowd = new(crowd)
	}
	if s.typ >= libzmq.Server && libzmq.GetInt(handle, libzmq.OptThreadSafe) > 0 {
		s.pollable = false
		s.reserve, _ = os.Open(os.DevNull)
		if s.reserve == nil {
			s.reserve, _ = os.Open("/") // an image from scratch has no devices
		}
	}
	s.classify()
}

// Type returns libzmq's number of the socket type.
func (s *Socket) Type() int { return int(s.typ) }

// Handle returns the libzmq handle of an open socket. It is for
// benchmarks in which C uses a socket that no goroutine uses at the same time.
func (s *Socket) Handle() libzmq.Socket {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.handle
}

// Context returns the context of the socket.
func (s *Socket) Context() *Context { return s.ctx }

// Configure runs an operation under the mutex, other than a send or receive. The
// operation may change whether the socket's waiters can continue (R5).
func (s *Socket) Configure(call func(libzmq.Socket) int) (int, error) {
	return s.configure(func(h *Socket) int { return call(h.handle) })
}

// configure is Configure for this package.
func (s *Socket) configure(call func(h *Socket) int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != stateOpen {
		return 0, s.state.err()
	}
	rc := call(s)
	if s.waiting() > 0 {
		s.process()
	}
	s.touchAll()
	s.classify()
	return rc, errorOf(rc)
}

// Bind binds the socket to an endpoint. It may resolve the name of an interface.
//
// Implements: zmq_bind.
func (s *Socket) Bind(endpoint string) error {
	return s.attach(endpoint, s.ctx.inproc.bind, func(h *Socket) (int, error) {
		if err := h.claimPort(endpoint); err != nil {
			return -int(syscall.EADDRINUSE), err
		}
		h.peers.Listen(endpoint)
		rc := h.bindListener(endpoint)
		if rc < 0 {
			h.freePort(endpoint)
			h.reportBindFailed(endpoint, -rc)
		}
		return rc, nil
	})
}

// Connect connects the socket to an endpoint.
//
// Implements: zmq_connect.
func (s *Socket) Connect(endpoint string) error {
	return s.connect(endpoint, func(h libzmq.Socket) int { return libzmq.Connect(h, endpoint) })
}

func (s *Socket) connect(endpoint string, call func(libzmq.Socket) int) error {
	inproc := func(h *Socket, name string) (rc int, err error) {
		rc, err = h.ctx.inproc.connect(h, name, call)
		if rc >= 0 {
			h.options.Turn(libzmq.OptConnectID, false) // it was for this connect
		}
		return rc, err
	}
	other := func(h *Socket) (int, error) {
		undo := h.peers.Attach(endpoint)
		rc := call(h.handle)
		if rc < 0 {
			undo()
		}
		if rc >= 0 {
			h.options.Turn(libzmq.OptConnectID, false) // it was for this connect
		}
		h.udp = h.udp || rc == 0 && strings.HasPrefix(endpoint, "udp://")
		if strings.HasPrefix(endpoint, "ws") { // libzmq masks the data in place
			h.flags |= libzmq.Copy
		}
		return rc, nil
	}
	return s.attach(endpoint, inproc, other)
}

// attach calls one of two functions: inproc with the name of an inproc endpoint, or other.
func (s *Socket) attach(endpoint string, inproc func(*Socket, string) (int, error), other func(*Socket) (int, error)) error {
	name, isInproc := inprocName(endpoint)
	if !isInproc { // inproc needs no descriptors
		if err := checkFDs(headRoom); err != nil {
			return err
		}
	}
	k, missed := s.sinkFor(endpoint)
	var fault error
	_, err := s.configure(func(h *Socket) (rc int) {
		h.beginTracking(k, missed)
		if !h.receives() {
			h.ctx.startWatchdog() // it counts the subscriptions of a PUB that does not send
		}
		if !isInproc {
			rc, fault = other(h)
			h.far = h.far || rc == 0
		} else {
			if h.flags&libzmq.Copy != 0 {
				h.ctx.loses.Store(true)
			}
			rc, fault = inproc(h, name)
		}
		if rc == 0 {
			h.endpoint = lastEndpoint(h.handle)
		}
		return rc
	})
	if isInproc {
		s.ctx.announceInproc()
	}
	return cmp.Or(fault, err)
}

// Unbind unbinds the socket from an endpoint.
//
// Implements: zmq_unbind.
func (s *Socket) Unbind(endpoint string) error {
	return s.detach(endpoint, s.ctx.inproc.unbind, libzmq.Unbind)
}

// Disconnect disconnects the socket from an endpoint.
//
// Implements: zmq_disconnect.
func (s *Socket) Disconnect(endpoint string) error {
	return s.detach(endpoint, s.ctx.inproc.disconnect, libzmq.Disconnect)
}

func (s *Socket) detach(endpoint string, inproc func(*Socket, string) (int, error), other func(libzmq.Socket, string) int) error {
	var fault error
	s.drainSink() // what it looks at now still belongs to the connections
	_, err := s.configure(func(h *Socket) (rc int) {
		h.drainPartial()
		defer h.setSafeLinger()()
		if name, isInproc := inprocName(endpoint); isInproc {
			rc, fault = inproc(h, name)
		} else {
			rc = other(h.handle, endpoint)
		}
		if rc == 0 {
			h.attend()
		}
		return rc
	})
	if err = cmp.Or(fault, err); err == nil {
		s.drainSink() // the reports about the connections of the endpoint
		s.peers.Detach(endpoint)
		s.announce()
		s.ctx.announceInproc()
	}
	return err
}

// drainPartial takes out the message that libzmq has begun to read. The types below begin to
// read a message when ZMQ_EVENTS is read. If the connection ended first, the message would
// be torn, and the next receive would abort. s.mu is held.
func (s *Socket) drainPartial() {
	if s.typ.ReadsAtOnce() {
		s.takeIn(s.flags)
	}
}

func lastEndpoint(h libzmq.Socket) string {
	var buf [1024]byte
	n := libzmq.GetOption(h, libzmq.OptLastEndpoint, buf[:])
	if n <= 0 {
		return ""
	}
	return string(buf[:n-1]) // libzmq counts the final NUL
}

// Endpoint returns the last endpoint that was bound or connected.
func (s *Socket) Endpoint() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.endpoint
}

// Err returns the reason why the socket cannot be used any more, or nil.
func (s *Socket) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.err()
}

// FD returns the socket's own duplicate of ZMQ_FD. It is closed with the socket.
func (s *Socket) FD() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != stateOpen {
		return -1, s.state.err()
	}
	if err := s.watch(); err != nil {
		return -1, err
	}
	s.fdGiven = true
	s.in.Bar()
	return s.fdNum, nil
}

// Wait waits until a receive or a send can succeed.
func (s *Socket) Wait(ctx context.Context, dir Direction) error {
	if dir == Recv && !s.typ.Receives() || dir == Send && !s.typ.Sends() {
		return syscall.ENOTSUP
	}
	r := request{dir: dir, looks: true}
	return s.run(ctx, r.dir, nil, &r, false)
}
