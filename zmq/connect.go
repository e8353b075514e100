package zmq

import (
	"context"

	"github.com/go-zmq/go-zmq/internal/core"
)

// ConnectContext is Connect with a bound on the one thing that Connect may have to wait
// for: the name server that is asked for the endpoint's host name, which Connect gives
// 5 s. When ctx ends before that, the socket is not connected, and the error wraps
// ctx.Err(). It does not wait for the peer; see WaitConnected. Any goroutine may call
// it, and use the socket for something else meanwhile.
//
// libzmq: zmq_connect.
func (s *Socket) ConnectContext(ctx context.Context, endpoint string) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if err := ctx.Err(); err != nil {
		return wrapError(verbConnect, endpoint, "", err)
	}
	return s.attachTo(ctx, verbConnect, endpoint, (*core.Socket).Connect)
}
