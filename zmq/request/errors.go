package request

import (
	"errors"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/zmq"
)

var errClosed = &zmq.Error{Op: "request", Errno: syscall.ENOTSOCK, Detail: "the client is closed"}

var errNil = &zmq.Error{Op: "request", Errno: syscall.ENOTSOCK, Detail: "the client is nil; make one with NewClient"}

// sendFailed keeps an error to itself that says that the server left in the middle of
// the message: it might as well have left right after it. The request is lost, and
// the attempt's time will pass.
func sendFailed(err error) error {
	if errors.Is(err, zmq.ErrHostUnreachable) {
		return nil
	}
	return err
}

// ended is the error of a context that ended.
func ended(err error) error { return core.WrapError("request", err) }

func isAgain(err error) bool { return errors.Is(err, zmq.ErrAgain) }
