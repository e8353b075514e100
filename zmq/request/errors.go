package request

import (
	"context"
	"errors"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/zmq"
)

func errClosed() error {
	return core.NewError("request", syscall.ENOTSOCK, "the client is closed", nil)
}

// ended is the error of a context that ended.
func ended(err error) error {
	errno := syscall.ECANCELED
	if errors.Is(err, context.DeadlineExceeded) {
		errno = syscall.ETIMEDOUT
	}
	return core.NewError("request", errno, err.Error(), err)
}

func isAgain(err error) bool { return errors.Is(err, zmq.ErrAgain) }
