package zmq

import (
	"context"
	"errors"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
)

// Proxy forwards messages between two sockets until ctx is done or a socket is closed.
// Messages that one socket receives are sent on the other, in each direction that the
// socket types allow. ROUTER and DEALER make a request broker. XSUB and XPUB forward
// messages one way and subscriptions the other. PULL and PUSH forward a stream. If
// frontend and backend are the same socket, each message that it receives is sent on it
// again.
//
// If capture is not nil, Proxy sends it a copy of every message in both directions.
// Capture must be a third socket, of a type that sends, such as PUB, PUSH or PAIR.
//
// Proxy blocks the calling goroutine and holds no OS thread. The error is never nil. It
// wraps ctx.Err(), or is ErrClosed or ErrTerminated if a socket was closed or its context
// was shut down. If a socket caused the error, the text names that socket. The sockets
// stay open, and the caller may use them while the proxy runs, because it forwards whole
// messages. They may belong to different contexts. SendTimeout, RecvTimeout and ReadAhead
// have no effect on a proxy, but messages that a socket read ahead before the proxy
// started are forwarded first.
//
// A proxy receives and sends up to 64 messages at a time in each direction, fewer if they
// are large, and one at a time if capture is not nil. When it ends or pauses, messages
// that were not forwarded can still be received. A full capture socket stops both
// directions, unless it is a PUB, which drops messages. When the proxy ends, only the
// copy of the last message in each direction can be missing from capture.
//
// A message is dropped, and counted in [ProxyStatistics], only if its peer has
// disconnected, a ROUTER with RouterMandatory cannot route it, DropCounted applies, or the
// other socket refuses it. An XSUB, for example, refuses a subscription to a topic of more
// than 4096 bytes.
//
// The proxy waits while another goroutine receives a message part by part. If such a
// message is incomplete when Proxy starts, the error is ErrState. Unlike zmq_proxy, a
// proxy can be stopped, and a signal does not end it.
//
// Implements: zmq_proxy.
func Proxy(ctx context.Context, frontend, backend, capture *Socket) error {
	p, err := NewSteerableProxy(frontend, backend, capture)
	if err != nil {
		return err
	}
	return p.Run(ctx)
}

// SteerableProxy is safe for use by any number of goroutines. It is a [Proxy] that can be
// paused, queried and ended. All methods may be called before, during and after Run. Run
// blocks; the other methods wait at most for calls into libzmq. Create one with
// [NewSteerableProxy]. It does not need to be closed.
//
// Implements: zmq_proxy_steerable.
type SteerableProxy struct {
	core *core.Proxy
}

// NewSteerableProxy returns a proxy between two sockets, as [Proxy] describes. capture
// may be nil. No message is forwarded before Run.
//
// The error is ErrNotSupported if neither socket can receive messages that the other can
// send, or if capture cannot send. It is EINVAL if capture is frontend or backend, and
// ErrClosed if a socket is nil or closed.
//
// Implements: zmq_proxy_steerable.
func NewSteerableProxy(frontend, backend, capture *Socket) (*SteerableProxy, error) {
	front, err := proxySocket("frontend", frontend)
	if err != nil {
		return nil, err
	}
	back, err := proxySocket("backend", backend)
	if err != nil {
		return nil, err
	}
	var copies *core.Socket
	if capture != nil {
		if copies, err = proxySocket("capture", capture); err != nil {
			return nil, err
		}
	}
	p, err := core.NewProxy(front, back, copies)
	if err != nil {
		return nil, proxyError(err)
	}
	return &SteerableProxy{core: p}, nil
}

func proxySocket(role string, s *Socket) (*core.Socket, error) {
	if s.core() == nil {
		return nil, &Error{Op: "proxy", Errno: errnoClosed, Detail: role + ": the socket is nil; create one with Context.NewSocket"}
	}
	if err := s.core().Err(); err != nil {
		return nil, proxyError(&core.ProxyEnd{Role: role, Err: err})
	}
	return s.core(), nil
}

// live returns the core of a proxy, or an error if NewSteerableProxy did not create it.
func (p *SteerableProxy) live() (*core.Proxy, error) {
	if p == nil || p.core == nil {
		return nil, &Error{Op: "proxy", Errno: syscall.EINVAL, Detail: "the proxy is nil; create one with NewSteerableProxy"}
	}
	return p.core, nil
}

// steer calls a method of the core of the proxy.
func (p *SteerableProxy) steer(call func(*core.Proxy) error) error {
	c, err := p.live()
	if err != nil {
		return err
	}
	return proxyError(call(c))
}

// Run forwards messages, as [Proxy] describes. It blocks until ctx is done, Terminate is
// called or a socket is closed. After Terminate it returns nil, even if Terminate was
// called before Run. A proxy that ended for another reason may run again and keeps its
// counts. While one call is running, a second one returns ErrState.
//
// Implements: zmq_proxy_steerable.
func (p *SteerableProxy) Run(ctx context.Context) error {
	c, err := p.live()
	if err != nil {
		return err
	}
	if ctx == nil {
		return nilContext("proxy")
	}
	return proxyError(c.Run(ctx))
}

// Pause stops forwarding. When it returns, no message is being forwarded. Until Resume,
// messages stay in the sockets and, beyond the high-water marks (HWM), with the peers. If
// Pause is called before Run, the proxy starts paused. After Terminate the error is
// ErrState.
//
// Implements: zmq_proxy_steerable (PAUSE).
func (p *SteerableProxy) Pause() error {
	return p.steer((*core.Proxy).Pause)
}

// Resume ends a pause, if there is one. After Terminate the error is ErrState.
//
// Implements: zmq_proxy_steerable (RESUME).
func (p *SteerableProxy) Resume() error {
	return p.steer((*core.Proxy).Resume)
}

// Terminate ends the proxy permanently. After it returns, no more messages are forwarded,
// and Run returns nil. The sockets stay open. Further calls do nothing.
//
// Implements: zmq_proxy_steerable (TERMINATE).
func (p *SteerableProxy) Terminate() error {
	return p.steer(func(c *core.Proxy) error { c.Terminate(); return nil })
}

// ProxyTraffic counts the messages that a proxy forwarded through one of its sockets. A
// message of several parts counts as one message, and the bytes of all its parts count.
// Bytes of dropped messages do not count.
type ProxyTraffic struct {
	MessagesReceived, BytesReceived uint64
	MessagesSent, BytesSent         uint64
}

// ProxyStatistics counts the messages of a proxy since it was created. A message counts
// as received once it has been forwarded or dropped.
type ProxyStatistics struct {
	Frontend, Backend ProxyTraffic
	// Dropped counts messages that were received and could not be forwarded; [Proxy] says
	// when that happens.
	Dropped uint64
}

// Statistics returns the counts so far. They include every message that a peer has
// received from the proxy.
//
// Implements: zmq_proxy_steerable (STATISTICS).
func (p *SteerableProxy) Statistics() (ProxyStatistics, error) {
	c, err := p.live()
	if err != nil {
		return ProxyStatistics{}, err
	}
	forth, returned, dropForth, dropReturned := c.Counts()
	return ProxyStatistics{
		Frontend: ProxyTraffic{
			MessagesReceived: forth.Messages + dropForth, BytesReceived: forth.Bytes,
			MessagesSent: returned.Messages, BytesSent: returned.Bytes,
		},
		Backend: ProxyTraffic{
			MessagesReceived: returned.Messages + dropReturned, BytesReceived: returned.Bytes,
			MessagesSent: forth.Messages, BytesSent: forth.Bytes,
		},
		Dropped: dropForth + dropReturned,
	}, nil
}

// proxyError converts an error of package core into an Error that names the socket.
func proxyError(err error) error {
	var at *core.ProxyEnd
	if !errors.As(err, &at) {
		return wrapError("proxy", "", "", err)
	}
	err = wrapError("proxy", "", "", at.Err)
	var e *Error
	if errors.As(err, &e) {
		if e.Detail == "" {
			e.Detail = errnoText(e.Errno)
		}
		e.Detail = at.Role + ": " + e.Detail
	}
	return err
}
