package request

import (
	"errors"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/zmq"
)

var errClosed = &zmq.Error{Op: "request", Errno: syscall.ENOTSOCK, Detail: "the client is closed"}

var errNil = &zmq.Error{Op: "request", Errno: syscall.ENOTSOCK, Detail: "the client is nil; create one with NewClient"}

// sendFailed hides the error of a server that disconnected in the middle of the message,
// because it could have disconnected right after it as well. The request is lost, and the
// attempt's time will pass.
func sendFailed(err error) error {
	if errors.Is(err, zmq.ErrHostUnreachable) {
		return nil
	}
	return err
}

// ended returns the error for a context that is done.
func ended(err error) error {
	e := &zmq.Error{Op: "request"}
	e.Errno, e.Detail, *core.Of(e) = fault.Explain(err)
	return e
}

func isAgain(err error) bool { return errors.Is(err, zmq.ErrAgain) }
