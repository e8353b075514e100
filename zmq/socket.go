package zmq

import (
	"context"
	"sync"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
)

// Socket sends and receives messages. It is safe for use by any number of
// goroutines: a call that waits holds neither an OS thread nor any other call up.
// Make one with [Context.NewSocket] and close it with Close.
type Socket struct {
	core *core.Socket
	ctx  *Context
	leak *leakWatch

	configMu sync.Mutex // one configuring call at a time; never held by Send or Recv
	attach   attachState

	readyOnce sync.Once
	ready     <-chan struct{} // what Ready returns
}

// Flag changes how a send or receive works.
type Flag int

const (
	// DontWait makes a call fail with ErrAgain at once instead of waiting.
	DontWait Flag = 1
	// SendMore says that more parts of the same message follow. The part is kept,
	// and sent with the last one.
	SendMore Flag = 2
)

func flagsOf(flags []Flag) (f Flag) {
	for _, g := range flags {
		f |= g
	}
	return f
}

// live returns the core of a socket that can be used, or says why there is none.
func (s *Socket) live(op string) (*core.Socket, error) {
	if s == nil || s.core == nil {
		return nil, &Error{Op: op, Errno: errnoClosed, Detail: "the socket is nil; make one with Context.NewSocket"}
	}
	return s.core, nil
}

// Type returns the socket's type, or -1 for a nil socket.
func (s *Socket) Type() SocketType {
	if s == nil || s.core == nil {
		return -1
	}
	return SocketType(s.core.Type())
}

// Set sets options, in order, up to the first that fails; the error names the
// option. It does not wait. zmq_setsockopt.
func (s *Socket) Set(settings ...Setting) error {
	c, err := s.live("set")
	if err != nil {
		return err
	}
	s.configMu.Lock()
	defer s.configMu.Unlock()
	if err := c.Err(); err != nil {
		return wrapError("set", "", "", err)
	}
	for _, setting := range settings {
		if setting.apply == nil {
			return &Error{Op: "set", Errno: syscall.EINVAL, Detail: "empty Setting; make one with an option's To"}
		}
		if err := setting.apply(s); err != nil {
			return err
		}
	}
	return nil
}

// Bind makes the socket accept connections at an endpoint, such as
// "tcp://127.0.0.1:5555", "tcp://*:*" (any free port; see LastEndpoint),
// "ipc:///run/app.sock" or "inproc://name". A path that exists and is not a
// socket is refused (EEXIST): libzmq would delete it. Among the errors, which name the
// endpoint, are EINVAL, ENAMETOOLONG, EPROTONOSUPPORT and ErrNotSupported for one that
// makes no sense, or none on this socket; EADDRINUSE, EADDRNOTAVAIL and ENODEV for an
// address that is taken or not this machine's; ENOENT and EACCES for a path; EMFILE when
// descriptors are few; ErrClosed and ErrTerminated. Then nothing is bound. It waits for
// nothing but the lookup of a host name, 5 s at most. zmq_bind.
func (s *Socket) Bind(endpoint string) error {
	return s.attachTo(context.Background(), "bind", endpoint, (*core.Socket).Bind)
}

// Connect connects the socket to an endpoint. It does not wait for the peer:
// libzmq connects in the background, and again whenever the connection is lost.
// A host name is looked up first; one that does not exist is an error, EHOSTUNREACH,
// while a name server that does not answer within 5 s is, over tcp, left to libzmq's
// retries; see ConnectContext. Among the other errors, which name the endpoint, are
// EINVAL, ENAMETOOLONG, EPROTONOSUPPORT and ErrNotSupported for one that makes no sense,
// or none on this socket; ENODEV for an interface; EMFILE when descriptors are few;
// ErrClosed and ErrTerminated. Then nothing is connected. zmq_connect.
func (s *Socket) Connect(endpoint string) error {
	return s.attachTo(context.Background(), "connect", endpoint, (*core.Socket).Connect)
}

// Unbind stops accepting connections at an endpoint, and ends those that were
// accepted there. Messages to them that were not sent follow Linger; messages from them
// that were not received are dropped. An endpoint that was bound with a wildcard is named
// as LastEndpoint returned it. It fails with ENOENT if it is not bound, with
// ErrNotSupported over udp, as Bind does for what is no endpoint, and with ErrClosed and
// ErrTerminated. It does not wait. zmq_unbind.
func (s *Socket) Unbind(endpoint string) error {
	return s.attachTo(context.Background(), "unbind", endpoint, (*core.Socket).Unbind)
}

// Disconnect ends the connection to an endpoint. Messages to it that were not
// sent follow Linger; messages from it that were not received are dropped. It fails
// with ENOENT if it is not connected, EINVAL for the inproc name of a socket that is not
// bound yet, where libzmq would abort, or for the socket's own, as Connect does for what
// is no endpoint, and with ErrClosed and ErrTerminated. It does not wait. zmq_disconnect.
func (s *Socket) Disconnect(endpoint string) error {
	return s.attachTo(context.Background(), "disconnect", endpoint, (*core.Socket).Disconnect)
}

func (s *Socket) attachTo(ctx context.Context, verb, endpoint string, call func(*core.Socket, string) error) error {
	c, err := s.live(verb)
	if err != nil {
		return err
	}
	s.configMu.Lock()
	defer s.configMu.Unlock()
	if err := c.Err(); err != nil {
		return wrapError(verb, endpoint, "", err)
	}
	if err := checkEndpoint(ctx, s, verb, endpoint); err != nil {
		return err
	}
	name := s.spelled(verb, endpoint)
	if err := call(c, name); err != nil {
		return wrapError(verb, endpoint, "", err)
	}
	s.noteAttached(verb, endpoint, name)
	return nil
}

// LastEndpoint returns the endpoint that was bound or connected last, with
// wildcards replaced by what was chosen. ZMQ_LAST_ENDPOINT.
func (s *Socket) LastEndpoint() (string, error) { return LastEndpoint.Get(s) }

// Subscribe lets messages that begin with topic through to a SUB socket; the
// empty topic lets all through. A topic has at most 4096 bytes; a longer one is refused
// with EINVAL, and so is any on other types (XPUB has it for XPubManual). Before libzmq
// 4.3.5 topics of 246 to 255 bytes are refused with ErrNotSupported. It does not wait for
// publishers to learn of it; see WaitSubscribers. ZMQ_SUBSCRIBE.
func (s *Socket) Subscribe(topic string) error { return s.Set(Subscribe.To(topic)) }

// Unsubscribe ends one subscription to topic, if there is one; otherwise it is as
// Subscribe. ZMQ_UNSUBSCRIBE.
func (s *Socket) Unsubscribe(topic string) error { return s.Set(Unsubscribe.To(topic)) }

// Close closes the socket. Calls that wait on it return ErrClosed; a Poller that waits
// for it among others goes on without it. It does not
// wait, except for a call that is inside libzmq at this moment: messages that
// were not sent yet linger as Context.Close describes. Further calls do nothing.
// zmq_close.
func (s *Socket) Close() error {
	if s == nil || s.core == nil {
		return nil
	}
	s.leak.close()
	err := s.core.Close()
	s.dropUnusedFD()
	return wrapError("close", "", "", err)
}

// WaitReadable waits until there is something to receive, or ctx ends. Another
// goroutine may take it first, so receive with DontWait. ZMQ_EVENTS.
func (s *Socket) WaitReadable(ctx context.Context) error {
	c, err := s.live("recv")
	if err != nil {
		return err
	}
	return recvError(c.WaitReadable(ctx))
}
