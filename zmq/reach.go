package zmq

import (
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// The packages beside this one reach what a Message holds and a Socket stands on that
// way, and fail with the same errors.
func init() {
	core.MessageOf = func(m any) *libzmq.Msg { return &m.(*Message).msg }
	core.SocketOf = func(s any) *core.Socket {
		if s := s.(*Socket); s != nil {
			return s.core
		}
		return nil
	}
	core.WrapError = func(op string, err error) error { return wrapError(op, "", "", err) }
	core.NewError = func(op string, errno syscall.Errno, detail string, cause error) error {
		return &Error{Op: op, Errno: errno, Detail: detail, cause: cause}
	}
}
