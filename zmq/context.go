package zmq

import (
	"context"
	"errors"
	"sync/atomic"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Context owns sockets and the threads that do their input and output. It is
// safe for use by any number of goroutines. A process usually has one.
type Context struct {
	core     *core.Context
	leak     *leakWatch
	defaults atomic.Pointer[[]Setting] // what SocketDefaults was given
}

// NewContext makes a context. Its threads start with its first socket.
//
// libzmq is loaded by the first call: the library that the environment variable
// GOZMQ_LIBRARY names, else the platform's libzmq.so.5 or libzmq.5.dylib. When
// there is none, or it is older than 4.3.0, the error says what was tried and
// which package to install. A program built with the tag zmq_link is linked with
// libzmq instead.
//
// NewContext fails with EMFILE when hardly any file descriptors are left, since
// libzmq would abort the process later. zmq_ctx_new.
func NewContext(settings ...ContextSetting) (*Context, error) {
	cc, err := core.NewContext()
	if err != nil {
		var fault *core.Fault
		if errors.As(err, &fault) {
			return nil, wrapError("context", "", "", err)
		}
		return nil, &Error{Op: "context", Errno: syscall.ENOENT, Detail: err.Error(), cause: err}
	}
	c := &Context{core: cc}
	c.leak = watchLeak(c, "context")
	if err := c.Set(settings...); err != nil {
		// The reason to give is the setting, not what closing says.
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// Set sets options of the context, in order, up to the first that fails; the
// error names it. Most must be set before the first socket is made. zmq_ctx_set.
func (c *Context) Set(settings ...ContextSetting) error {
	if c == nil || c.core == nil {
		return errNilContext("set")
	}
	for _, s := range settings {
		if s.apply == nil {
			return &Error{Op: "set", Errno: syscall.EINVAL, Detail: "empty ContextSetting; make one with an option's To"}
		}
		if err := s.apply(c); err != nil {
			return err
		}
	}
	return nil
}

func errNilContext(op string) error {
	return &Error{Op: op, Errno: errnoClosed, Detail: "the context is nil; make one with NewContext"}
}

// NewSocket makes a socket of a type with the settings given. A draft type is
// refused with ErrNotSupported where the libzmq in use was built without its
// draft API: it would make such a socket, and abort the process at the first
// connection. EMFILE means that the context has no place for another socket
// (MaxSockets) or that the process has hardly any file descriptors left; the
// error says which. zmq_socket.
func (c *Context) NewSocket(t SocketType, settings ...Setting) (*Socket, error) {
	return c.newSocket(t, true, settings)
}

func (c *Context) newSocket(t SocketType, defaults bool, settings []Setting) (*Socket, error) {
	if c == nil || c.core == nil {
		return nil, errNilContext("socket")
	}
	if t < Pair || t > Channel {
		return nil, &Error{Op: "socket", Errno: syscall.EINVAL, Detail: "there is no " + t.String() + "; use one of the SocketType constants"}
	}
	if t >= Server && !libzmq.Has("draft") {
		return nil, noDraft("socket", t.String()+" is a draft type")
	}
	cs, err := c.core.NewSocket(int(t))
	if errors.Is(err, core.ErrClosed) {
		return nil, &Error{Op: "socket", Errno: errnoClosed, Detail: "the context is closed; make another with NewContext"}
	}
	if err != nil {
		return nil, wrapError("socket", "", "", err)
	}
	s := &Socket{core: cs, ctx: c}
	s.leak = watchLeak(s, t.String()+" socket")
	if defaults {
		settings = c.settingsFor(t, settings)
	}
	if err := s.Set(settings...); err != nil {
		// The reason to give is the setting, not what closing says.
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// Shutdown makes every call on the context's sockets, those that wait now and
// all later ones, fail with ErrTerminated. The sockets and the context are still
// to be closed; no option can be set any more. It does not wait. Further calls do
// nothing. zmq_ctx_shutdown.
func (c *Context) Shutdown() error {
	if c == nil || c.core == nil {
		return errNilContext("shutdown")
	}
	return wrapError("shutdown", "", "", c.core.Shutdown())
}

// Close closes the sockets that are still open, waits until their messages are
// sent or have lingered as long as the Linger option says, and frees the context.
// Whoever waits on one of the sockets gets ErrClosed.
//
// A socket whose Linger was never set lingers for at most one second, so that a
// peer that is gone does not keep Close from returning; with Linger set to a
// negative duration it can wait for ever. Close does not tell of messages that were
// given up; CloseContext does, and says how long to wait for them. Peers of the same context are closed as
// well, in no order: messages for which they had no room any more linger as those
// for any peer that is gone, unless they went over inproc. Further calls wait for the
// same end. libzmq itself did not come to that once in some thousand closes under load
// ("What remains" in docs/safety.md), and CloseContext with a deadline returns even then.
// zmq_ctx_term.
func (c *Context) Close() error { return c.CloseContext(context.Background()) }

// CloseContext is Close with a bound: when ctx ends first, it returns an error
// that wraps ctx.Err() and names the sockets that still held messages; the rest of the
// closing goes on in the background.
//
// If ctx has a deadline, that is how long sockets linger that are still open and
// whose Linger was never set, and others linger no longer than that: they give their
// messages up shortly after it. So nil says that no message of a socket without Linger
// was given up. What had to be decided before is not changed: sockets that were closed,
// and connections that Disconnect or Unbind ended, linger as Linger says, or their one
// second, and nothing tells of what they give up. So do the sockets of a context that
// was shut down, but of the one second that it was too short the error tells, as if the
// deadline had passed. zmq_ctx_term.
func (c *Context) CloseContext(ctx context.Context) error {
	if c == nil || c.core == nil {
		return errNilContext("close")
	}
	if ctx == nil {
		ctx = context.Background()
	}
	c.leak.close()
	return wrapError("close", "", "", c.core.Close(ctx))
}

// Rescues returns how many waiting calls had to be woken by the safety net,
// because the wake-up that was due did not come. It should always be 0; anything
// else is a defect worth a report.
func (c *Context) Rescues() uint64 {
	if c == nil || c.core == nil {
		return 0
	}
	return c.core.Rescues()
}

// inprocBound reports whether an inproc name is bound in this context.
func (c *Context) inprocBound(name string) bool { return c.core.InprocBound(name) }
