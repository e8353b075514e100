package core

import (
	"errors"
	"os"
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

var errBlind = &Fault{syscall.ENOTSUP, "the socket's connections are not counted, because TrackConnections is off; leave it on, or create a Monitor before the first Bind or Connect"}

// Fault is an error number with a text that says what is wrong and what to do about it.
type Fault struct {
	Errno  syscall.Errno
	Detail string
}

func (f *Fault) Error() string { return f.Detail + ": " + f.Errno.Error() }

// Unwrap returns the error number.
func (f *Fault) Unwrap() error { return f.Errno }

// Explain returns the fields of a *zmq.Error for an error of this package, of the system
// or of a context.Context. The cause is nil if the number says everything.
func Explain(err error) (errno syscall.Errno, detail string, cause error) {
	var fault *Fault
	switch {
	case errors.Is(err, ErrClosed):
		return syscall.ENOTSOCK, "", nil
	case errors.Is(err, ErrTerminated):
		return libzmq.ETERM, "", nil
	case errors.Is(err, ErrLost):
		return syscall.EHOSTUNREACH, ErrLost.Error(), nil
	case errors.As(err, &fault):
		return fault.Errno, fault.Detail, nil
	case errors.As(err, &errno):
		return errno, "", nil
	case errors.As(err, new(*PendingError)), os.IsTimeout(err):
		return syscall.ETIMEDOUT, err.Error(), err
	}
	return syscall.ECANCELED, err.Error(), err
}

const again = -int(syscall.EAGAIN)

// errorOf converts the result of a shim to an error.
func errorOf(rc int) error {
	switch {
	case rc >= 0:
		return nil
	case rc == -libzmq.ETERM:
		return ErrTerminated
	case rc == -libzmq.ELOST:
		return ErrLost
	case rc == -libzmq.EUNBOUND:
		return errUnbound
	case rc == again:
		return syscall.EAGAIN // a constant does not allocate, and this number is large on Windows
	}
	return syscall.Errno(-rc)
}

// NilContext is the error text for a nil context.Context.
const NilContext = "the context.Context is nil; pass context.Background() to wait without limit"
