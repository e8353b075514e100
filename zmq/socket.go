package zmq

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Socket is safe for use by any number of goroutines. It sends and receives messages. A
// blocked call holds no OS thread and does not delay other calls. Create a Socket with
// [Context.NewSocket], and close it with Close.
type Socket struct {
	inner
	ctx *Context

	configMu *sync.Mutex // one call that configures at a time; Send and Recv never hold it
	attach   *attachState

	readyOnce sync.Once
	ready     <-chan struct{} // returned by Ready
}

type inner = core.Inside[*core.Socket]

// core returns nil for a nil socket.
func (s *Socket) core() *core.Socket {
	if s == nil {
		return nil
	}
	return s.inner[0]
}

// Flag changes how a send or a receive works.
type Flag int

const (
	// DontWait makes a call return ErrAgain instead of blocking.
	DontWait Flag = 1
	// SendMore says that more parts of the same message follow. The socket keeps the part
	// and sends it with the last one, so a call with SendMore never blocks. Parts are
	// collected per socket: goroutines that share a socket must use SendMultipart
	// instead.
	//
	// While parts are pending, all calls that send whole messages (SendMultipart,
	// SendMultipartMessage, SendMessageTo, SendBatch, SendChan) fail with ErrState in
	// every goroutine and send nothing. Send, SendString, SendJSON and SendMessage
	// without SendMore complete the message. DiscardParts drops it.
	//
	// If sending the last part fails, nothing was sent and the earlier parts are kept.
	// Repeat the failed call, or drop the parts with DiscardParts. The next part with
	// SendMore also drops them and begins a new message. If the peer disconnected in the
	// middle of the message, the message is lost at once, and the error says so.
	SendMore Flag = 2
)

func flagsOf(flags []Flag) (f Flag) {
	for _, g := range flags {
		f |= g
	}
	return f
}

// begin returns the core of a socket for a call that can block. A nil socket or a nil ctx
// is an error. What runs for every message checks that itself, without a call.
func (s *Socket) begin(ctx context.Context, op string) (*core.Socket, error) {
	c := s.core()
	if c == nil || ctx == nil {
		return nil, s.unusable(op)
	}
	return c, nil
}

// unusable says why begin fails.
func (s *Socket) unusable(op string) error {
	if _, err := s.live(op); err != nil {
		return err
	}
	return nilContext(op)
}

func nilContext(op string) error {
	return &Error{Op: op, Errno: syscall.EINVAL, Detail: fault.NilContext}
}

// live returns the core of a socket, or an error if the socket is nil.
func (s *Socket) live(op string) (*core.Socket, error) {
	c := s.core()
	if c == nil {
		return nil, &Error{Op: op, Errno: errnoClosed, Detail: "the socket is nil; create one with Context.NewSocket"}
	}
	return c, nil
}

// Type returns the socket's type, or -1 for a nil socket.
//
// Implements: zmq_getsockopt(ZMQ_TYPE).
func (s *Socket) Type() SocketType {
	if s.core() == nil {
		return -1
	}
	return SocketType(s.core().Type())
}

// Context returns the context that created the socket, or nil for a nil socket.
func (s *Socket) Context() *Context {
	if s == nil {
		return nil
	}
	return s.ctx
}

// String describes the socket for logs: its type and its last endpoint, such as
// "PUSH tcp://127.0.0.1:5555".
func (s *Socket) String() string {
	if s.core() == nil {
		return "nil socket"
	}
	text := s.Type().String()
	if endpoint := s.core().Endpoint(); endpoint != "" {
		text += " " + endpoint
	}
	return text
}

// Set applies settings to the socket in order. It stops at the first setting that fails,
// and the error names the option. Set does not block.
//
// Implements: zmq_setsockopt.
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
	return s.apply(settings)
}

// apply applies settings in order. The caller holds s.configMu.
func (s *Socket) apply(settings []Setting) error {
	for _, setting := range settings {
		if setting.apply == nil {
			return &Error{Op: "set", Errno: syscall.EINVAL, Detail: "the Setting is empty; create one with the To method of an option"}
		}
		if err := setting.apply(s); err != nil {
			return err
		}
	}
	return nil
}

// Bind accepts connections at endpoint, such as "tcp://127.0.0.1:5555",
// "ipc:///run/app.sock" or "inproc://name". With "tcp://*:*" the system chooses a free
// port; LastEndpoint returns it. The host is an IP address, the name of an interface or
// "*". Bind does not resolve host names and does not block.
//
// If Bind returns an error, nothing is bound. The error names the endpoint. The usual
// errors are:
//
//   - EINVAL, ENAMETOOLONG: the endpoint is malformed or does not suit the socket.
//   - EPROTONOSUPPORT, ErrNotSupported: the socket or libzmq does not support the
//     transport.
//   - EADDRINUSE, EADDRNOTAVAIL, ENODEV: the address is in use or does not belong to this
//     machine.
//   - ENOENT, EACCES: the path does not exist or is not accessible.
//   - EEXIST: the path exists and is not a socket; if Bind did not refuse it, libzmq would
//     delete it.
//   - EMFILE: too few file descriptors are left.
//   - ErrClosed, ErrTerminated: the socket is closed, or its context was shut down.
//
// Implements: zmq_bind.
func (s *Socket) Bind(endpoint string) error {
	return s.attachTo(verbBind, endpoint, (*core.Socket).Bind)
}

// Connect connects the socket to endpoint. It does not wait for the peer: libzmq connects
// in the background and reconnects when the connection is lost. A host name need not
// resolve yet, because libzmq resolves it before each attempt. Over ws, wss and udp libzmq
// resolves it during the call, which blocks until the resolver answers.
//
// If Connect returns an error, nothing is connected. The error names the endpoint. The
// usual errors are:
//
//   - EINVAL, ENAMETOOLONG: the endpoint is malformed or does not suit the socket.
//   - EPROTONOSUPPORT, ErrNotSupported: the socket or libzmq does not support the
//     transport.
//   - ENODEV: the interface does not exist.
//   - EMFILE: too few file descriptors are left.
//   - ErrClosed, ErrTerminated: the socket is closed, or its context was shut down.
//
// Implements: zmq_connect.
func (s *Socket) Connect(endpoint string) error {
	return s.attachTo(verbConnect, endpoint, (*core.Socket).Connect)
}

// Unbind stops accepting connections at endpoint and closes those that were accepted
// there. Over inproc, connections that were accepted stay. For an endpoint that was bound
// with a wildcard, pass the endpoint that LastEndpoint returned. Unbind does not block.
//
// libzmq drops unsent messages to the peers that it disconnects, regardless of Linger.
// Messages from them that have arrived can still be received, and their connections close
// afterwards. A REQ does not close these connections until its next request.
//
// The error is ENOENT if the endpoint is not bound, ErrNotSupported over udp, and
// ErrClosed or ErrTerminated as in Bind. An endpoint without a transport or an address
// returns EINVAL.
//
// Implements: zmq_unbind.
func (s *Socket) Unbind(endpoint string) error {
	return s.attachTo(verbUnbind, endpoint, (*core.Socket).Unbind)
}

// Disconnect closes the connection to endpoint. Linger applies to unsent messages for
// that endpoint. Messages from it that are still in libzmq's queue are dropped. Those that
// the socket has read ahead, up to 64 by default, can still be received after Disconnect.
// With ReadAhead.To(0) there are none, except one that libzmq had begun to hand out on a
// ROUTER, REP, SUB or XSUB. Disconnect does not block.
//
// The error is ENOENT if the endpoint is not connected, and ErrClosed or ErrTerminated as
// in Connect. Over inproc a connection also ends when the peer is closed. The error is
// EINVAL if the socket itself has bound the inproc name. It is also EINVAL if a ROUTER or
// REP is connected to an inproc name that no socket has bound since, because libzmq would
// abort. An endpoint without a transport or an address returns EINVAL as well.
//
// Implements: zmq_disconnect.
func (s *Socket) Disconnect(endpoint string) error {
	return s.attachTo(verbDisconnect, endpoint, (*core.Socket).Disconnect)
}

func (s *Socket) attachTo(verb, endpoint string, call func(*core.Socket, string) error) error {
	c, err := s.live(verb)
	if err != nil {
		return err
	}
	s.configMu.Lock()
	defer s.configMu.Unlock()
	return s.attachLocked(c, verb, endpoint, call)
}

// attachLocked checks an endpoint, passes it to call and records it. The caller holds
// s.configMu.
func (s *Socket) attachLocked(c *core.Socket, verb, endpoint string, call func(*core.Socket, string) error) error {
	if err := c.Err(); err != nil {
		return wrapError(verb, endpoint, "", err)
	}
	if err := checkEndpoint(s, verb, endpoint); err != nil {
		return err
	}
	name := s.spelled(verb, endpoint)
	if err := call(c, name); err != nil {
		return attachError(verb, endpoint, err)
	}
	s.noteAttached(verb, endpoint, name)
	return nil
}

// attachErrors says what to do about errors of libzmq whose number does not.
var attachErrors = map[syscall.Errno]string{
	errNoCompatibleProtocol: "the type of the socket does not suit the transport; pgm, epgm and norm are for PUB, SUB, XPUB and XSUB, and over udp RADIO connects, DISH and DGRAM bind",
	libzmq.EMTHREAD:         "no I/O thread can serve the connection; IOThreads is 0, which allows only inproc, or Affinity selects no thread of the context",
	syscall.ENODEV:          "no such address or interface on this machine; use an IP address, the name of an interface, or \"*\" for all",
	syscall.EINVAL:          "libzmq does not accept the endpoint; check its spelling",
}

// attachError describes an error of libzmq.
func attachError(verb, endpoint string, err error) error {
	errno, plain := err.(syscall.Errno)
	if !plain {
		return wrapError(verb, endpoint, "", err)
	}
	e := &Error{Op: verb, Endpoint: endpoint, Errno: errno, Detail: attachErrors[errno]}
	switch transport, _, _ := strings.Cut(endpoint, "://"); {
	case errno == syscall.EPROTONOSUPPORT:
		e.Errno, e.cause[0] = syscall.ENOTSUP, errno
		e.Detail = "the libzmq in use has no transport " + strconv.Quote(transport) + "; check the spelling, or use a libzmq that was built with it"
	case errno == syscall.EINVAL && (transport == "ws" || transport == "wss" || transport == "udp"):
		e.Detail = "libzmq cannot resolve the address, and over ws, wss and udp it does so only once; check the name, or use an IP address"
	}
	return e
}

// LastEndpoint returns the endpoint that was bound or connected last. Wildcards are
// replaced by the address and port that were chosen, except over udp. A program that must
// know its udp port has to choose it.
//
// Implements: zmq_getsockopt(ZMQ_LAST_ENDPOINT).
func (s *Socket) LastEndpoint() (string, error) { return LastEndpoint.Get(s) }

// Subscribe makes a SUB socket receive messages that begin with topic. The empty topic
// matches every message. On an XPUB, Subscribe works only with XPubManual. Subscribe does
// not wait until publishers know of the subscription; see WaitSubscribers.
//
// A topic has at most 4096 bytes. A longer one returns EINVAL, and so does any topic on
// other socket types. With libzmq before 4.3.5, a topic of 246 to 255 bytes returns
// ErrNotSupported.
//
// Implements: zmq_setsockopt(ZMQ_SUBSCRIBE).
func (s *Socket) Subscribe(topic string) error { return s.Set(Subscribe.To(topic)) }

// Unsubscribe removes one subscription to topic, if there is one. It otherwise behaves
// like Subscribe.
//
// Implements: zmq_setsockopt(ZMQ_UNSUBSCRIBE).
func (s *Socket) Unsubscribe(topic string) error { return s.Set(Unsubscribe.To(topic)) }

// Close closes the socket. Blocked calls return ErrClosed, and a Poller drops the socket
// and keeps waiting on the others. Any goroutine may call Close. Further calls do
// nothing.
//
// Close waits only for calls that are inside libzmq at that moment. Unsent messages
// linger, as Context.Close describes.
//
// Implements: zmq_close.
func (s *Socket) Close() error {
	if s.core() == nil {
		return nil
	}
	return wrapError("close", "", "", s.core().Close())
}

// WaitReadable blocks until a message can be received, ctx is done or RecvTimeout has
// passed. Another goroutine may receive the message first, so receive it with DontWait.
// Types that do not receive return ErrNotSupported.
//
// Implements: zmq_getsockopt(ZMQ_EVENTS).
func (s *Socket) WaitReadable(ctx context.Context) error {
	c, err := s.begin(ctx, "recv")
	if err != nil {
		return err
	}
	return recvError(c.Wait(ctx, core.Recv))
}

// WaitWritable blocks until a message can be sent, ctx is done or SendTimeout has passed.
// Another goroutine may fill the queue first, so send with DontWait. It returns at once
// on ROUTER, PUB, XPUB, XSUB, STREAM, RADIO, SERVER and PEER, which libzmq always reports
// as writable. Types that do not send return ErrNotSupported.
//
// Implements: zmq_getsockopt(ZMQ_EVENTS).
func (s *Socket) WaitWritable(ctx context.Context) error {
	c, err := s.begin(ctx, "send")
	if err != nil {
		return err
	}
	return sendError(c.Wait(ctx, core.Send))
}
