package zmq

import (
	"strconv"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// PeerWritable reports whether a ROUTER could send to the peer with a routing id now:
// false means that the peer's queue is full (SendHWM). A peer that is not connected is
// ErrHostUnreachable. Another goroutine may fill the queue before the answer is used,
// so a send can still wait, or fail with RouterMandatory. It does not wait. Only a
// libzmq with the draft API can tell, and only of a ROUTER; otherwise it is
// ErrNotSupported.
//
// libzmq: zmq_socket_get_peer_state.
func (s *Socket) PeerWritable(routingID []byte) (bool, error) {
	const op = "peer state"
	c, err := s.live(op)
	if err != nil {
		return false, err
	}
	if n := len(routingID); n < 1 || n > 255 {
		return false, &Error{Op: op, Errno: syscall.EINVAL, Detail: "a routing id has 1 to 255 bytes, not " + strconv.Itoa(n)}
	}
	if s.Type() != Router {
		return false, &Error{Op: op, Errno: syscall.ENOTSUP, Detail: "libzmq can tell it of a ROUTER's peers only"}
	}
	events, err := c.PeerState(routingID)
	if isErrno(err, syscall.ENOTSUP) {
		return false, &Error{Op: op, Errno: syscall.ENOTSUP, Detail: "this libzmq was built without the draft API; a libzmq built with it can tell"}
	}
	return events&libzmq.EventOut != 0, wrapError(op, "", "", err)
}
