package zmq

import (
	"context"
	"sync"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/rules"
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
// directions, unless it is a PUB, which drops messages. Only copies that capture refuses
// and, when the proxy ends, the copy of the last message in each direction can be missing
// from capture.
//
// A message is dropped, and counted in [ProxyStatistics], only if its peer has
// disconnected, a ROUTER with RouterMandatory cannot route it, DropCounted applies, or the
// other socket refuses it. An XSUB, for example, refuses a subscription to a topic of more
// than 4096 bytes, and a socket with Conflate refuses a message of several parts.
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
	sockets []*core.Socket // frontend, backend and, if there is one, capture
	capture *core.Socket   // may be nil
	flows   []*proxyFlow

	running sync.Mutex // held by Run

	mu                 sync.Mutex // guards the fields below
	paused, terminated bool
	stop               context.CancelFunc // stops the flows; nil before the first run
	stopped            <-chan struct{}    // closed when they have stopped
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
	p := &SteerableProxy{}
	sockets := []*Socket{frontend, backend, capture}
	if capture == nil {
		sockets = sockets[:2]
	}
	for i, s := range sockets {
		if s.core() == nil {
			return nil, &Error{Op: "proxy", Errno: errnoClosed, Detail: proxyRoles[i] + ": the socket is nil; create one with Context.NewSocket"}
		}
		p.sockets = append(p.sockets, s.core())
		if err := s.core().Err(); err != nil {
			return nil, p.failed(s.core(), err)
		}
	}
	if capture != nil {
		p.capture = capture.core()
		switch {
		case capture == frontend || capture == backend:
			return nil, errProxySameTwice
		case !rules.Type(p.capture.Type()).Sends() || capture.Type() == Req || capture.Type() == Rep:
			return nil, errProxyCapture
		}
	}
	front, back := p.sockets[0], p.sockets[1]
	p.addFlow(front, back)
	if front != back {
		p.addFlow(back, front)
	}
	if len(p.flows) == 0 {
		return nil, &Error{Op: "proxy", Errno: syscall.ENOTSUP, Detail: "no message can go from " + frontend.Type().String() + " to " + backend.Type().String() +
			" or back; one socket must be able to receive and the other to send"}
	}
	return p, nil
}

var (
	errProxyNil       = &Error{Op: "proxy", Errno: syscall.EINVAL, Detail: "the proxy is nil; create one with NewSteerableProxy"}
	errProxySameTwice = &Error{Op: "proxy", Errno: syscall.EINVAL, Detail: "the capture socket is the frontend or the backend; give the proxy a third socket"}
	errProxyCapture   = &Error{Op: "proxy", Errno: syscall.ENOTSUP, Detail: "the capture socket's type cannot send several messages in a row; use a PUB, PUSH, DEALER or PAIR"}
	errProxyRuns      = &Error{Op: "proxy", Errno: libzmq.EFSM, Detail: "the proxy is already running; wait until Run returns, or create another proxy"}
	errProxyOver      = &Error{Op: "proxy", Errno: libzmq.EFSM, Detail: "the proxy was terminated; create another one"}
)

// usable returns an error if NewSteerableProxy did not create the proxy.
func (p *SteerableProxy) usable() error {
	if p == nil || len(p.flows) == 0 {
		return errProxyNil
	}
	return nil
}

// Run forwards messages, as [Proxy] describes. It blocks until ctx is done, Terminate is
// called or a socket is closed. After Terminate it returns nil, even if Terminate was
// called before Run. A proxy that ended for another reason may run again and keeps its
// counts. While one call is running, a second one returns ErrState.
//
// Implements: zmq_proxy_steerable.
func (p *SteerableProxy) Run(ctx context.Context) error {
	if err := p.usable(); err != nil {
		return err
	}
	if ctx == nil {
		return nilContext("proxy")
	}
	if !p.running.TryLock() {
		return errProxyRuns
	}
	defer p.running.Unlock()
	for _, f := range p.flows {
		if f.src.Err() == nil && f.src.More() {
			return p.failed(f.src, errHalfRead)
		}
		defer f.copies.Reset()
	}
	return p.run(ctx)
}

// Pause stops forwarding. When it returns, no message is being forwarded. Until Resume,
// messages stay in the sockets and, beyond the high-water marks (HWM), with the peers. If
// Pause is called before Run, the proxy starts paused. After Terminate the error is
// ErrState.
//
// Implements: zmq_proxy_steerable (PAUSE).
func (p *SteerableProxy) Pause() error {
	return p.change(func() { p.paused = true })
}

// Resume ends a pause, if there is one. After Terminate the error is ErrState.
//
// Implements: zmq_proxy_steerable (RESUME).
func (p *SteerableProxy) Resume() error {
	return p.change(func() { p.paused = false })
}

// Terminate ends the proxy permanently. After it returns, no more messages are forwarded,
// and Run returns nil. The sockets stay open. Further calls do nothing.
//
// Implements: zmq_proxy_steerable (TERMINATE).
func (p *SteerableProxy) Terminate() error {
	err := p.change(func() { p.terminated = true })
	if err == errProxyOver {
		return nil
	}
	return err
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
	if err := p.usable(); err != nil {
		return ProxyStatistics{}, err
	}
	var s ProxyStatistics
	for _, f := range p.flows {
		from, to := &s.Frontend, &s.Backend
		if f.src != p.sockets[0] {
			from, to = to, from
		}
		sent, dropped := f.dst.SentOf(&f.batch), f.dropped.Load()
		from.MessagesReceived, from.BytesReceived = sent.Messages+dropped, sent.Bytes
		to.MessagesSent, to.BytesSent = sent.Messages, sent.Bytes
		s.Dropped += dropped
	}
	return s, nil
}
