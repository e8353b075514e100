package zmq

import (
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// init gives the other packages access to the core of a Message and a Socket, and to this
// package's errors.
func init() {
	core.MessageOf = func(m any) *libzmq.Msg { return &m.(*Message).msg }
	core.SocketOf = func(s any) *core.Socket {
		if s := s.(*Socket); s != nil {
			return s.core
		}
		return nil
	}
	core.NewBareSocket = func(c any, socketType int) (any, error) {
		return c.(*Context).newSocket(SocketType(socketType), false, nil)
	}
	core.WrapError = func(op string, err error) error { return wrapError(op, "", "", err) }
	core.NewError = func(op string, errno syscall.Errno, detail string, cause error) error {
		return &Error{Op: op, Errno: errno, Detail: detail, cause: cause}
	}
}
