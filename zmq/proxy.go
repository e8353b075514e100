package zmq

import (
	"context"
	"errors"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
)

// Proxy moves messages between two sockets until ctx ends or a socket does: what
// frontend receives is sent through backend, and the other way round where the types
// of the sockets allow it. A ROUTER and a DEALER make a broker of requests, an XSUB
// and an XPUB forward what is published one way and subscriptions the other, a PULL
// and a PUSH stream. When frontend and backend are the same socket, its messages go
// back to where they came from. capture, unless it is nil, is sent a copy of every
// message of both directions; it is of a type that sends, such as PUB, PUSH or PAIR,
// and not one of the other two.
//
// Proxy waits in the calling goroutine, and holds no thread meanwhile. The error is
// never nil: it wraps ctx.Err(), or is ErrClosed or ErrTerminated when one of the
// sockets was closed or its context shut down, and its text says which socket. The
// sockets stay open, and stay the caller's, who may use them at the same time: whole
// messages are taken and sent. They may belong to different contexts. SendTimeout and
// RecvTimeout have no effect on a proxy; ReadAhead has none while it runs, but what a
// socket holds ready goes first.
//
// Nothing is lost: a message leaves the socket that received it when the other has
// room for it, and a proxy that ends leaves it there, to be received or to be moved by
// another proxy. A socket that is full holds up its direction until it has room, and
// so does a capture socket that is full, both directions (a PUB never is: it drops);
// only the copy of the last message of a direction can be missing there when a proxy
// ends meanwhile. Dropped, and counted as such in [ProxyStatistics], are messages whose
// peer has left, or that a ROUTER with RouterMandatory cannot route, and subscriptions
// to topics of more than 4096 bytes. A message that another goroutine is receiving part
// by part is left to it, and what follows waits for that; Proxy fails with ErrState if
// there is such a message when it begins.
//
// Unlike zmq_proxy it can be stopped, and it does not end because a signal came.
// zmq_proxy.
func Proxy(ctx context.Context, frontend, backend, capture *Socket) error {
	p, err := NewSteerableProxy(frontend, backend, capture)
	if err != nil {
		return err
	}
	return p.Run(ctx)
}

// SteerableProxy is a [Proxy] that can be paused, asked and ended. It is safe for use
// by any number of goroutines: all methods may be called before, during and after Run,
// by several goroutines at a time. Run waits; the others wait at most for the batch of
// messages that is being moved.
// Make one with [NewSteerableProxy]. It has nothing to close. zmq_proxy_steerable.
type SteerableProxy struct {
	core *core.Proxy
}

// NewSteerableProxy makes a proxy between two sockets, as [Proxy] describes; capture
// may be nil. Nothing moves before Run. It fails with ErrNotSupported when neither
// socket can receive what the other could send, or capture cannot send, with EINVAL
// when capture is one of the other two, and with ErrClosed for a socket that is nil or
// closed. zmq_proxy_steerable.
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
	if s == nil || s.core == nil {
		return nil, &Error{Op: "proxy", Errno: errnoClosed, Detail: role + ": the socket is nil; make one with Context.NewSocket"}
	}
	if err := s.core.Err(); err != nil {
		return nil, proxyError(&core.ProxyEnd{Role: role, Err: err})
	}
	return s.core, nil
}

// live returns the core of a proxy that was made, or says that there is none.
func (p *SteerableProxy) live() (*core.Proxy, error) {
	if p == nil || p.core == nil {
		return nil, &Error{Op: "proxy", Errno: syscall.EINVAL, Detail: "there is no proxy; make one with NewSteerableProxy"}
	}
	return p.core, nil
}

// Run moves messages, as [Proxy] describes, and waits until ctx ends, Terminate is
// called or a socket ends. After Terminate it returns nil, at once if Terminate came
// first. A proxy that ended otherwise may be run again, and goes on counting. While
// one call is under way a second one fails with ErrState. zmq_proxy_steerable.
func (p *SteerableProxy) Run(ctx context.Context) error {
	c, err := p.live()
	if err != nil {
		return err
	}
	return proxyError(c.Run(ctx))
}

// Pause stops the flow of messages: when it returns none moves, and those to come wait
// in the sockets, and behind their high-water marks with the peers, until Resume. It
// may be called before Run, which then begins paused. After Terminate it fails with
// ErrState. PAUSE of zmq_proxy_steerable.
func (p *SteerableProxy) Pause() error {
	c, err := p.live()
	if err != nil {
		return err
	}
	return proxyError(c.Pause())
}

// Resume ends a pause; without one it does nothing. After Terminate it fails with
// ErrState. RESUME of zmq_proxy_steerable.
func (p *SteerableProxy) Resume() error {
	c, err := p.live()
	if err != nil {
		return err
	}
	return proxyError(c.Resume())
}

// Terminate ends the proxy for good: when it returns no message moves any more, and
// Run returns nil. The sockets stay open. Further calls do nothing. TERMINATE of
// zmq_proxy_steerable.
func (p *SteerableProxy) Terminate() error {
	c, err := p.live()
	if err != nil {
		return err
	}
	c.Terminate()
	return nil
}

// ProxyTraffic is what went through one socket of a proxy, as far as the proxy moved
// it. Messages are counted whole; bytes are those of their parts.
type ProxyTraffic struct {
	MessagesReceived, BytesReceived uint64
	MessagesSent, BytesSent         uint64
}

// ProxyStatistics is what a proxy has moved since it was made. A message counts as
// received once it was sent on or dropped.
type ProxyStatistics struct {
	Frontend, Backend ProxyTraffic
	// Dropped counts the messages that were received and could not be sent to
	// anybody; see [Proxy] for when that happens.
	Dropped uint64
}

// Statistics returns what has moved until now. A message that somebody has received
// from the proxy is in it. STATISTICS of zmq_proxy_steerable.
func (p *SteerableProxy) Statistics() (ProxyStatistics, error) {
	c, err := p.live()
	if err != nil {
		return ProxyStatistics{}, err
	}
	forth, dropForth, returned, dropReturned := c.Counts()
	return ProxyStatistics{
		Frontend: ProxyTraffic{
			MessagesReceived: forth.Messages + dropForth.Messages, BytesReceived: forth.Bytes + dropForth.Bytes,
			MessagesSent: returned.Messages, BytesSent: returned.Bytes,
		},
		Backend: ProxyTraffic{
			MessagesReceived: returned.Messages + dropReturned.Messages, BytesReceived: returned.Bytes + dropReturned.Bytes,
			MessagesSent: forth.Messages, BytesSent: forth.Bytes,
		},
		Dropped: dropForth.Messages + dropReturned.Messages,
	}, nil
}

// proxyError turns what core says into an Error, which names the socket.
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
