package zmq

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// These are the errors that callers test for with errors.Is.
var (
	// ErrAgain means that the operation would block and DontWait was given, or that it
	// blocked until SendTimeout or RecvTimeout passed. In the second case it also matches
	// os.ErrDeadlineExceeded. It corresponds to EAGAIN.
	ErrAgain error = &sentinel{"resource temporarily unavailable", syscall.EAGAIN}
	// ErrClosed means that the socket or context is closed. It also matches net.ErrClosed.
	ErrClosed error = &sentinel{"socket or context is closed", errnoClosed}
	// ErrTerminated means that the socket's context was shut down. It corresponds to
	// ETERM.
	ErrTerminated error = &sentinel{"context was shut down", libzmq.ETERM}
	// ErrState means that the operation is not possible in the socket's current state.
	// Examples are a second Send on a REQ without a Recv, and sending a whole message while
	// parts sent with SendMore are pending. It corresponds to EFSM.
	ErrState error = &sentinel{"operation is not possible in this state", libzmq.EFSM}
	// ErrNotSupported means that the socket type, or the libzmq in use, does not support
	// the operation. It corresponds to ENOTSUP.
	ErrNotSupported error = &sentinel{"operation not supported", syscall.ENOTSUP}
	// ErrHostUnreachable means that the socket has no connection to the peer that the
	// message is for. It corresponds to EHOSTUNREACH.
	ErrHostUnreachable error = &sentinel{"host unreachable", syscall.EHOSTUNREACH}
)

// errnoClosed is libzmq's error number for a closed socket.
const errnoClosed = syscall.ENOTSOCK

type sentinel struct {
	text  string
	errno syscall.Errno
}

func (s *sentinel) Error() string { return "zmq: " + s.text }

func (s *sentinel) Is(target error) bool {
	return target == s.errno || target == net.ErrClosed && s.errno == errnoClosed
}

// Error is the error type of this package, except for truncated receives; see
// [TruncatedError]. errors.Is finds the sentinel errors of this package, syscall.Errno
// values, net.ErrClosed, os.ErrDeadlineExceeded, and the error of a context.Context that
// ended the operation. An Error is immutable and may be shared.
type Error struct {
	Op       string        // the operation: "send", "recv", "bind", "set", ...
	Endpoint string        // the endpoint of the operation, if any
	Errno    syscall.Errno // the system's or libzmq's error number
	Option   string        // libzmq's name for the option, if any
	Detail   string        // the problem and its remedy, if more is known
	cause
}

// cause is what Unwrap returns, or nil for Errno.
type cause = core.Inside[error]

// Error returns one line: the operation, its object, and what is wrong.
func (e *Error) Error() string {
	text := "zmq: " + e.Op
	if e.Option != "" {
		text += " " + e.Option
	}
	if e.Endpoint != "" {
		text += " " + strconv.Quote(e.Endpoint)
	}
	if e.Detail != "" {
		return text + ": " + e.Detail
	}
	return text + ": " + errnoText(e.Errno)
}

// Unwrap returns the cause of the error, or Errno if there is no other cause.
func (e *Error) Unwrap() error {
	if e.cause[0] != nil {
		return e.cause[0]
	}
	return e.Errno
}

// Is reports whether target is a sentinel error or an error number that e corresponds to,
// or net.ErrClosed if e means ErrClosed.
func (e *Error) Is(target error) bool {
	switch t := target.(type) {
	case *sentinel:
		return e.Errno == t.errno
	case syscall.Errno:
		return e.Errno == t
	}
	return target == net.ErrClosed && e.Errno == errnoClosed
}

// Timeout reports whether SendTimeout, RecvTimeout or the deadline of the context.Context
// ended the operation. It is part of net.Error.
func (e *Error) Timeout() bool {
	return errors.Is(e.cause[0], os.ErrDeadlineExceeded) || errors.Is(e.cause[0], context.DeadlineExceeded)
}

// Temporary returns the same as Timeout. It is part of net.Error.
func (e *Error) Temporary() bool { return e.Timeout() }

// TruncatedError means that a part was longer than the buffer that was passed to the
// receive. The rest of the part is lost.
type TruncatedError struct {
	Size int // the size of the part in bytes
}

// Error returns a text that contains the size of the part.
func (e *TruncatedError) Error() string {
	return "zmq: recv: part of " + strconv.Itoa(e.Size) + " bytes was truncated because the buffer is too short; use RecvBytes or RecvMessage if the size is not known"
}

// Unwrap returns io.ErrShortBuffer.
func (e *TruncatedError) Unwrap() error { return io.ErrShortBuffer }

func errnoText(e syscall.Errno) string {
	switch e {
	case libzmq.EFSM:
		return "operation is not possible in this state; a REQ must send before it receives, and a REP must receive before it sends"
	case libzmq.ETERM:
		return "context was shut down"
	case errnoClosed:
		return "socket or context is closed"
	case syscall.EAGAIN:
		return "resource temporarily unavailable"
	case syscall.ENOTSUP:
		return "operation not supported by this type of socket"
	case syscall.EHOSTUNREACH:
		return "host unreachable: no peer with this routing ID"
	}
	if text := libzmq.ErrnoText(int(e)); text != "" {
		return text
	}
	return e.Error()
}

// opErrors holds the frequent errors of an operation, which are allocated once.
type opErrors struct {
	op                                 string
	again, timeout, closed, terminated *Error
}

func newOpErrors(op, option string) *opErrors {
	return &opErrors{
		op:         op,
		again:      &Error{Op: op, Errno: syscall.EAGAIN},
		timeout:    &Error{Op: op, Errno: syscall.EAGAIN, Detail: "timeout (" + option + ")", cause: cause{os.ErrDeadlineExceeded}},
		closed:     &Error{Op: op, Errno: errnoClosed},
		terminated: &Error{Op: op, Errno: libzmq.ETERM},
	}
}

var (
	sendErrors = newOpErrors("send", "SendTimeout")
	recvErrors = newOpErrors("recv", "RecvTimeout")
)

// sendError and recvError convert an error of package core into an Error. They do not
// allocate for frequent errors.
func sendError(err error) error {
	if err == nil {
		return nil
	}
	if r, ok := err.(*core.Refusal); ok {
		return refused(r)
	}
	return sendErrors.failed(err)
}

// refusedErrors are the errors of sends that would have blocked, by their *core.Refusal. There
// are few of those, and each is allocated once.
var refusedErrors sync.Map

// refused converts the error of a send that found no room.
func refused(r *core.Refusal) *Error {
	if e, ok := refusedErrors.Load(r); ok {
		return e.(*Error)
	}
	why := r.Reason()
	switch err := r.Unwrap(); err {
	case syscall.EAGAIN:
		e, _ := refusedErrors.LoadOrStore(r, &Error{Op: "send", Errno: syscall.EAGAIN, Detail: why})
		return e.(*Error)
	case fault.ErrTimeout:
		e := *sendErrors.timeout
		e.Detail += ": " + why
		return &e
	default:
		e := wrapError("send", "", "", err).(*Error)
		e.Detail += ": " + why
		return e
	}
}

func recvError(err error) error {
	if err == nil {
		return nil
	}
	return recvErrors.failed(err)
}

func (o *opErrors) failed(err error) error {
	switch err {
	case syscall.EAGAIN:
		return o.again
	case fault.ErrTimeout:
		return o.timeout
	case fault.ErrClosed:
		return o.closed
	case fault.ErrTerminated:
		return o.terminated
	case fault.ErrPending, fault.ErrFinishing:
		return &Error{Op: o.op, Errno: libzmq.EFSM, Detail: err.Error()}
	}
	return wrapError(o.op, "", "", err)
}

// codeError converts the result of a shim, which is -errno if it failed.
func codeError(op string, rc int) error {
	if rc >= 0 {
		return nil
	}
	return wrapError(op, "", "", syscall.Errno(-rc))
}

// wrapError converts an error of package core, or of a check, into an Error. It returns
// an error that wraps an Error unchanged.
func wrapError(op, endpoint, option string, err error) error {
	if err == nil {
		return nil
	}
	var done *Error
	if errors.As(err, &done) {
		return err
	}
	e := &Error{Op: op, Endpoint: endpoint, Option: option}
	e.Errno, e.Detail, e.cause[0] = fault.Explain(err)
	return e
}
