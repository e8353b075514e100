package zmq

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// What callers branch on, with errors.Is.
var (
	// ErrAgain: the operation would have had to wait, and was told not to by
	// [DontWait], or waited as long as SendTimeout or RecvTimeout allows; in the
	// latter case the error also is os.ErrDeadlineExceeded. EAGAIN.
	ErrAgain error = &sentinel{"resource temporarily unavailable", syscall.EAGAIN}
	// ErrClosed: the socket or context is closed. It also is net.ErrClosed.
	ErrClosed error = &sentinel{"socket or context is closed", errnoClosed}
	// ErrTerminated: the socket's context was shut down. ETERM.
	ErrTerminated error = &sentinel{"context was shut down", libzmq.ETERM}
	// ErrState: the operation is not possible in the socket's current state, such
	// as a second Send on a REQ socket without a Recv. EFSM.
	ErrState error = &sentinel{"operation is not possible in this state", libzmq.EFSM}
	// ErrNotSupported: the socket type, or the libzmq in use, does not have this.
	ErrNotSupported error = &sentinel{"operation not supported", syscall.ENOTSUP}
	// ErrHostUnreachable: there is no way to the peer that the message is for.
	ErrHostUnreachable error = &sentinel{"host unreachable", syscall.EHOSTUNREACH}
)

// libzmq says ENOTSOCK of a socket that was closed.
const errnoClosed = syscall.ENOTSOCK

type sentinel struct {
	text  string
	errno syscall.Errno
}

func (s *sentinel) Error() string { return "zmq: " + s.text }

func (s *sentinel) Is(target error) bool {
	return target == s.errno || target == net.ErrClosed && s.errno == errnoClosed
}

// Error is what the functions of this package fail with, but for a part that was cut
// off: that is a TruncatedError. errors.Is finds the
// sentinels of this package, syscall.Errno values, net.ErrClosed,
// os.ErrDeadlineExceeded, and the error of a context.Context that ended the
// operation. An Error is not changed after it was returned; it may be shared.
type Error struct {
	Op       string        // "send", "recv", "bind", "set", ...
	Endpoint string        // the endpoint concerned, if any
	Errno    syscall.Errno // the system's or libzmq's number
	Option   string        // libzmq's name of the option concerned, if any
	Detail   string        // what is wrong and what to do about it, if more is known
	cause    error
}

// Error returns one line: the operation, what it was about, what is wrong.
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

// Unwrap returns the error behind this one, or its number.
func (e *Error) Unwrap() error {
	if e.cause != nil {
		return e.cause
	}
	return e.Errno
}

// Is reports whether the error is one of this package's sentinels, an errno, or
// one of the standard library's that mean the same.
func (e *Error) Is(target error) bool {
	switch t := target.(type) {
	case *sentinel:
		return e.Errno == t.errno
	case syscall.Errno:
		return e.Errno == t
	}
	return target == net.ErrClosed && e.Errno == errnoClosed
}

// Timeout reports whether the operation waited as long as it was allowed to, by
// SendTimeout, RecvTimeout or the deadline of its context.Context, as net.Error has it.
func (e *Error) Timeout() bool {
	return errors.Is(e.cause, os.ErrDeadlineExceeded) || errors.Is(e.cause, context.DeadlineExceeded)
}

// Temporary is there for net.Error, and is Timeout.
func (e *Error) Temporary() bool { return e.Timeout() }

// TruncatedError says that a part was longer than the buffer it was received
// into. The rest of the part is lost.
type TruncatedError struct {
	Size int // of the part, in bytes
}

// Error says how long the part was.
func (e *TruncatedError) Error() string {
	return "zmq: recv: part of " + strconv.Itoa(e.Size) + " bytes was cut off: the buffer is too short; use RecvBytes or RecvMessage when the size is not known"
}

// Unwrap returns io.ErrShortBuffer.
func (e *TruncatedError) Unwrap() error { return io.ErrShortBuffer }

func errnoText(e syscall.Errno) string {
	switch e {
	case libzmq.EFSM:
		return "operation is not possible in this state; a REQ must send, then receive, a REP receive, then send"
	case libzmq.ETERM:
		return "context was shut down"
	case errnoClosed:
		return "socket is closed"
	case syscall.EAGAIN:
		return "resource temporarily unavailable"
	case syscall.ENOTSUP:
		return "operation not supported by this type of socket"
	case syscall.EHOSTUNREACH:
		return "host unreachable: no peer with this routing id"
	}
	if text := libzmq.ErrnoText(int(e)); text != "" {
		return text
	}
	return e.Error()
}

// The errors of the hot path are made once.
var (
	errSendAgain   = &Error{Op: "send", Errno: syscall.EAGAIN}
	errRecvAgain   = &Error{Op: "recv", Errno: syscall.EAGAIN}
	errSendTimeout = &Error{Op: "send", Errno: syscall.EAGAIN, Detail: "timeout (SendTimeout)", cause: os.ErrDeadlineExceeded}
	errRecvTimeout = &Error{Op: "recv", Errno: syscall.EAGAIN, Detail: "timeout (RecvTimeout)", cause: os.ErrDeadlineExceeded}
	errSendClosed  = &Error{Op: "send", Errno: errnoClosed}
	errRecvClosed  = &Error{Op: "recv", Errno: errnoClosed}
	errSendTerm    = &Error{Op: "send", Errno: libzmq.ETERM}
	errRecvTerm    = &Error{Op: "recv", Errno: libzmq.ETERM}
)

// sendError and recvError turn what core says into an Error, without allocating
// for what happens often.
func sendError(err error) error {
	switch err {
	case nil:
		return nil
	case syscall.EAGAIN:
		return errSendAgain
	case core.ErrTimeout:
		return errSendTimeout
	case core.ErrClosed:
		return errSendClosed
	case core.ErrTerminated:
		return errSendTerm
	}
	return wrapError("send", "", "", err)
}

func recvError(err error) error {
	switch err {
	case nil:
		return nil
	case syscall.EAGAIN:
		return errRecvAgain
	case core.ErrTimeout:
		return errRecvTimeout
	case core.ErrClosed:
		return errRecvClosed
	case core.ErrTerminated:
		return errRecvTerm
	}
	return wrapError("recv", "", "", err)
}

// wrapError makes an Error of what core or a check said. An Error stays what it is.
func wrapError(op, endpoint, option string, err error) error {
	if err == nil {
		return nil
	}
	var done *Error
	if errors.As(err, &done) {
		return err
	}
	e := &Error{Op: op, Endpoint: endpoint, Option: option, cause: err}
	var fault *core.Fault
	var pending *core.PendingError
	switch {
	case errors.Is(err, core.ErrClosed):
		e.Errno, e.cause = errnoClosed, nil
	case errors.Is(err, core.ErrTerminated):
		e.Errno, e.cause = libzmq.ETERM, nil
	case errors.Is(err, core.ErrLost):
		e.Errno, e.Detail, e.cause = syscall.EHOSTUNREACH, core.ErrLost.Error(), nil
	case errors.As(err, &fault):
		e.Errno, e.Detail, e.cause = fault.Errno, fault.Detail+": "+fault.Errno.Error(), nil
	case errors.As(err, &pending):
		e.Errno, e.Detail = syscall.ETIMEDOUT, pending.Error()
	case errors.As(err, &e.Errno):
		e.cause = nil
	case os.IsTimeout(err):
		e.Errno, e.Detail = syscall.ETIMEDOUT, err.Error()
	default:
		e.Errno, e.Detail = syscall.ECANCELED, err.Error()
	}
	return e
}
