package zmq

import (
	"errors"
	"strconv"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// PeerWritable reports whether a ROUTER could send to the peer with routingID at this
// moment. False means that the peer's queue is full (SendHWM). PeerWritable does not
// block. Another goroutine may fill the queue first. With RouterMandatory a send can
// therefore still block, or return ErrAgain with DontWait; without it, the message can
// still be dropped.
//
// If the peer is not connected, the error is ErrHostUnreachable. On other socket types,
// and without libzmq's draft API, the error is ErrNotSupported. EINVAL means that
// routingID does not have 1 to 255 bytes.
//
// Implements: zmq_socket_get_peer_state.
func (s *Socket) PeerWritable(routingID []byte) (bool, error) {
	const op = "peer state"
	c, err := s.live(op)
	if err != nil {
		return false, err
	}
	if n := len(routingID); n < 1 || n > 255 {
		return false, &Error{Op: op, Errno: syscall.EINVAL, Detail: "a routing ID has 1 to 255 bytes, not " + strconv.Itoa(n)}
	}
	if s.Type() != Router {
		return false, &Error{Op: op, Errno: syscall.ENOTSUP, Detail: "only ROUTER sockets report the state of their peers"}
	}
	events, err := c.Configure(func(h libzmq.Socket) int { return libzmq.PeerState(h, routingID) })
	if errors.Is(err, syscall.ENOTSUP) {
		return false, &Error{Op: op, Errno: syscall.ENOTSUP, Detail: "the libzmq in use was built without its draft API; set GOZMQ_LIBRARY to a libzmq built with --enable-drafts"}
	}
	return events&libzmq.EventOut != 0, wrapError(op, "", "", err)
}
