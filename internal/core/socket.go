package core

import (
	"cmp"
	"context"
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Type returns libzmq's number of the socket type.
func (s *shared) Type() int { return int(s.typ) }

// Handle returns the libzmq handle of an open socket. It is for
// benchmarks in which C uses a socket that no goroutine uses at the same time.
func (s *Socket) Handle() libzmq.Socket {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	return h.handle
}

// Context returns the context of the socket.
func (s *shared) Context() *Context { return s.ctx }

// Bind binds the socket to an endpoint. It may resolve the name of an interface.
//
// Implements: zmq_bind.
func (s *Socket) Bind(endpoint string) error {
	return s.attach(endpoint, s.ctx.inproc.bind, func(h *held) (int, error) {
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
	inproc := func(h *held, name string) (rc int, err error) {
		rc, err = h.ctx.inproc.connect(h, name, call)
		if rc >= 0 {
			h.options.Turn(libzmq.OptConnectID, false) // it was for this connect
		}
		return rc, err
	}
	other := func(h *held) (int, error) {
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
func (s *Socket) attach(endpoint string, inproc func(*held, string) (int, error), other func(*held) (int, error)) error {
	name, isInproc := inprocName(endpoint)
	if !isInproc { // inproc needs no descriptors
		if err := checkFDs(headRoom); err != nil {
			return err
		}
	}
	k, missed := s.sinkFor(endpoint)
	var fault error
	_, err := s.configure(func(h *held) (rc int) {
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

func (s *Socket) detach(endpoint string, inproc func(*held, string) (int, error), other func(libzmq.Socket, string) int) error {
	var fault error
	s.drainSink() // what it looks at now still belongs to the connections
	_, err := s.configure(func(h *held) (rc int) {
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

// drainPartial takes out the message that libzmq has begun to read. The types below begin
// to read a message when ZMQ_EVENTS is read. If the connection ended first, the message
// would be torn, and the next receive would abort.
func (s *held) drainPartial() {
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
	h := s.lock.Lock()
	defer s.lock.Unlock()
	return h.endpoint
}

// FD returns the socket's own duplicate of ZMQ_FD. It is closed with the socket.
func (s *Socket) FD() (int, error) {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	if h.state != stateOpen {
		return -1, h.state.err()
	}
	if err := h.watch(); err != nil {
		return -1, err
	}
	h.fdGiven = true
	h.in.Bar()
	return h.fdNum, nil
}

// Wait waits until a receive or a send can succeed.
func (s *Socket) Wait(ctx context.Context, dir Direction) error {
	if dir == Recv && !s.typ.Receives() || dir == Send && !s.typ.Sends() {
		return syscall.ENOTSUP
	}
	r := request{dir: dir, looks: true}
	return s.run(ctx, r.dir, nil, &r, false)
}

// Stats returns the counters.
func (s *Socket) Stats() Stats {
	s.drainSink()
	h := s.lock.Lock()
	defer s.lock.Unlock()
	st := h.stats
	st.Peers, st.Reconnects = s.peers.Totals()
	st.Held, st.Waiting = h.in.Held(), h.waiting()
	return st
}
