// Package fault has the errors that package core and its rooms return. Package zmq turns them
// into a *zmq.Error.
package fault

import (
	"errors"
	"os"
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Errors of operations, in addition to a plain syscall.Errno and the error of the
// caller's context.Context.
var (
	ErrClosed     = errors.New("socket is closed")
	ErrTerminated = errors.New("context was shut down")
	ErrTimeout    = errors.New("timeout") // SendTimeout or RecvTimeout passed
	ErrLost       = errors.New("the peer disconnected in the middle of the message, which is lost; send it again")
)

// Errors of a send while the parts of another message are pending.
var (
	ErrPending   = errors.New("parts sent with SendMore are pending; complete the message with Send or SendMessage without SendMore, or drop the parts with DiscardParts")
	ErrFinishing = errors.New("another goroutine is sending the last part of a message that was begun with SendMore; use SendMultipart on sockets that goroutines share")
)

var errUnbound = New(syscall.ENOTCONN, "the DGRAM is not bound; call Bind first, for example with udp://*:* for any port")

// NilContext is the error text for a nil context.Context.
const NilContext = "the context.Context is nil; pass context.Background() to wait without limit"

// Error is an error number with a text that says what is wrong and what to do about it.
type Error struct {
	Errno  syscall.Errno
	Detail string
}

// New returns an error number with its text.
func New(errno syscall.Errno, detail string) *Error { return &Error{errno, detail} }

func (e *Error) Error() string { return e.Detail + ": " + e.Errno.Error() }

// Unwrap returns the error number.
func (e *Error) Unwrap() error { return e.Errno }

// Unclosed says that a context was not closed in time.
type Unclosed struct {
	Sockets []string // sockets that still held messages
	Cause   error    // of the context.Context that ended the wait
}

func (e *Unclosed) Error() string {
	if len(e.Sockets) == 0 {
		return "the context is still closing: " + e.Cause.Error()
	}
	return "sockets still hold unsent messages (" + strings.Join(e.Sockets, ", ") + "): " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *Unclosed) Unwrap() error { return e.Cause }

// Explain returns the fields of a *zmq.Error for an error of this package, of the system
// or of a context.Context. The cause is nil if the number says everything.
func Explain(err error) (errno syscall.Errno, detail string, cause error) {
	var e *Error
	switch {
	case errors.Is(err, ErrClosed):
		return syscall.ENOTSOCK, "", nil
	case errors.Is(err, ErrTerminated):
		return libzmq.ETERM, "", nil
	case errors.Is(err, ErrLost):
		return syscall.EHOSTUNREACH, ErrLost.Error(), nil
	case errors.As(err, &e):
		return e.Errno, e.Detail, nil
	case errors.As(err, &errno):
		return errno, "", nil
	case errors.As(err, new(*Unclosed)), os.IsTimeout(err):
		return syscall.ETIMEDOUT, err.Error(), err
	}
	return syscall.ECANCELED, err.Error(), err
}

// Again is the result of a shim that found nothing to receive, or no room to send.
const Again = -int(syscall.EAGAIN)

// Of converts the result of a shim to an error.
func Of(rc int) error {
	switch {
	case rc >= 0:
		return nil
	case rc == -libzmq.ETERM:
		return ErrTerminated
	case rc == -libzmq.ELOST:
		return ErrLost
	case rc == -libzmq.EUNBOUND:
		return errUnbound
	case rc == Again:
		return syscall.EAGAIN // a constant does not allocate, and this number is large on Windows
	}
	return syscall.Errno(-rc)
}
