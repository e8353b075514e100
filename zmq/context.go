package zmq

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/fault"
)

// Context is safe for use by any number of goroutines. It owns sockets and the threads
// that do their input and output. Most processes need only one.
type Context struct {
	core     *core.Context
	leak     *leakWatch
	open     *openSockets
	defaults atomic.Pointer[[]Setting] // the arguments of SocketDefaults
}

// NewContext creates a context and applies the settings. The threads of the context start
// with its first socket. The caller must close the context.
//
// If libzmq is not loaded yet, NewContext loads it. The environment variable GOZMQ_LIBRARY
// names the library. If it is not set, NewContext looks for the system's libzmq.so.5 or
// libzmq.5.dylib. On Windows it looks for libzmq*.dll in the folder of the program and in
// PATH. If there is no libzmq, or it is older than 4.3.0, the error lists what was tried
// and names the package to install. A program built with the tag zmq_link is linked with
// libzmq instead.
//
// NewContext returns EMFILE if the process has hardly any file descriptors left, because
// libzmq would otherwise abort later.
//
// Implements: zmq_ctx_new.
func NewContext(settings ...ContextSetting) (*Context, error) {
	cc, err := core.NewContext()
	if err != nil {
		var fault *fault.Error
		if errors.As(err, &fault) {
			return nil, wrapError("context", "", "", err)
		}
		return nil, notLoaded("context", err)
	}
	c := &Context{core: cc, open: &openSockets{}}
	c.leak = watchLeak(c, "context")
	if err := c.Set(settings...); err != nil {
		// The error of the setting matters, not that of Close.
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// Set applies settings to the context in order. It stops at the first setting that fails, and
// the error names the option. Most options must be set before the first socket is created.
// Set does not block.
//
// Implements: zmq_ctx_set.
func (c *Context) Set(settings ...ContextSetting) error {
	if c == nil || c.core == nil {
		return errNilContext("set")
	}
	for _, s := range settings {
		if s.apply == nil {
			return &Error{Op: "set", Errno: syscall.EINVAL, Detail: "the ContextSetting is empty; create one with the To method of a context option"}
		}
		if err := s.apply(c); err != nil {
			return err
		}
	}
	return nil
}

func errNilContext(op string) error {
	return &Error{Op: op, Errno: errnoClosed, Detail: "the context is nil; create one with NewContext"}
}

// NewSocket creates a socket of type t and applies first the SocketDefaults of the context
// and then the settings. The caller must close the socket.
//
// A draft type returns ErrNotSupported if the libzmq in use was built without its draft API.
// Such a libzmq would create the socket and abort the process at the first connection.
// EMFILE means that the context has MaxSockets sockets, that it has closed too many that
// libzmq has not released yet, or that the process has hardly any file descriptors left.
//
// Implements: zmq_socket.
func (c *Context) NewSocket(t SocketType, settings ...Setting) (*Socket, error) {
	if c == nil || c.core == nil {
		return nil, errNilContext("socket")
	}
	bare := t == core.BareRouter
	if bare {
		t = Router
	}
	if t < Pair || t > Channel {
		return nil, &Error{Op: "socket", Errno: syscall.EINVAL, Detail: "there is no " + t.String() + "; use one of the SocketType constants"}
	}
	if t >= Server {
		if err := needs("socket", needsDraft, t.String()+" sockets"); err != nil {
			return nil, err
		}
	}
	if !bare {
		settings = c.settingsFor(t, settings)
	}
	track, settings := takeTracking(t, settings)
	cs, err := c.core.NewSocket(int(t), track)
	if err != nil {
		return nil, wrapError("socket", "", "", err)
	}
	configMu, attach := new(sync.Mutex), newAttachState()
	s := &Socket{inner: inner{cs}, ctx: c, configMu: configMu, attach: attach}
	leak := watchLeak(s, t.String()+" socket")
	open := c.open
	if !bare { // a bare ROUTER belongs to go-zmq
		open.add(s)
	}
	cs.OnClose(func() { // without references to s and c, whose garbage collection is reported
		open.remove(cs)
		leak.close()
		configMu.Lock() // a Bind may be using the descriptor
		defer configMu.Unlock()
		attach.closeFD()
	})
	if err := s.Set(settings...); err != nil {
		// The error of the setting matters, not that of Close.
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// takeTracking removes TrackSubscriptions from the settings of a PUB or XPUB and returns its
// value, which decides which socket libzmq creates. On other types Set refuses the option.
func takeTracking(t SocketType, settings []Setting) (track bool, rest []Setting) {
	for _, s := range settings {
		if s.spec == TrackSubscriptions.spec && s.spec.types.has(t) {
			if v, err := s.spec.parse(s.value); err == nil {
				track = v.n != 0
				continue
			}
		}
		rest = append(rest, s)
	}
	return track, rest
}

// Shutdown makes all blocked and later calls on the sockets of the context return
// ErrTerminated. Options can no longer be set. The sockets and the context must still be
// closed. Shutdown does not block and is idempotent.
//
// Implements: zmq_ctx_shutdown.
func (c *Context) Shutdown() error {
	if c == nil || c.core == nil {
		return errNilContext("shutdown")
	}
	return wrapError("shutdown", "", "", c.core.Shutdown())
}

// Close closes the context and the sockets that are still open. It blocks until their
// messages are sent or the time that Linger sets has passed. Blocked calls on the sockets
// return ErrClosed. Close is idempotent; later calls block until the first one is done.
//
// A socket whose Linger was never set lingers for at most one second, so that an absent peer
// does not block Close. With a negative Linger, Close can block without limit. Close does
// not report messages that were dropped; CloseContext does.
//
// Sockets of the same context that are peers of each other are closed in no particular
// order. Messages that do not fit into the queue of such a peer linger like messages to an
// absent peer, except over inproc.
//
// In tests under load, libzmq itself failed to finish about once in several thousand
// calls ("What remains" in docs/safety.md). CloseContext with a deadline returns even
// then.
//
// Implements: zmq_ctx_term.
func (c *Context) Close() error { return c.CloseContext(context.Background()) }

// CloseContext behaves like Close but blocks at most until ctx is done. If ctx is done
// first, it returns an error that wraps ctx.Err() and names the sockets that still held
// messages. The context then continues to close in the background. A nil ctx returns
// EINVAL.
//
// If ctx has a deadline, open sockets whose Linger was never set linger until the
// deadline instead of one second. The other open sockets linger until the deadline at the
// latest. Shortly after the deadline, all of them drop their messages. A nil error
// therefore means that sockets whose Linger was never set dropped no messages.
//
// CloseContext does not affect sockets that were closed earlier or connections that
// Disconnect closed. They linger as Linger says, or for one second if it was never set.
// Messages that they drop are not reported. The same applies to the sockets of a context
// that was shut down, with one exception. If the Linger of such a socket was never set and
// one second was too short for it, CloseContext returns the same error as after the
// deadline.
//
// Implements: zmq_ctx_term.
func (c *Context) CloseContext(ctx context.Context) error {
	if c == nil || c.core == nil {
		return errNilContext("close")
	}
	if ctx == nil {
		return nilContext("close")
	}
	c.leak.close()
	return wrapError("close", "", "", c.core.Close(ctx))
}

// inprocBound reports whether a socket of this context has bound an inproc name.
func (c *Context) inprocBound(name string) bool { return c.core.InprocBound(name) }
