package replay

import (
	"fmt"
	"slices"
	"syscall"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/replay/internal/order"
)

// GapError means that the messages From to To, both included, are lost for good: the
// publisher no longer keeps them, or does not answer requests. A Subscriber reports each
// gap once, between the messages before and after it.
type GapError struct{ From, To uint64 }

// Error says which messages are lost.
func (e *GapError) Error() string {
	return fmt.Sprintf("zmq: replay: messages %d to %d are lost: the publisher no longer has them", e.From, e.To)
}

// RestartError means that a new publisher has taken the place of the old one, and numbers
// its messages anew, normally from 0. The messages that follow are those of the new one. Messages from
// Expected on that the old one may have published are lost.
type RestartError struct {
	Expected uint64 // the next number of the old publisher
	Seen     uint64 // the number of the message that showed that there is a new one
}

// Error says what showed the restart.
func (e *RestartError) Error() string {
	return fmt.Sprintf("zmq: replay: the publisher restarted: its message %d came when %d was next", e.Seen, e.Expected)
}

// reported returns the error that reports an output, or nil for a message.
func reported(o order.Output) error {
	switch o.Kind {
	case order.Lost:
		return &GapError{o.From, o.To}
	case order.Restart:
		return &RestartError{Expected: o.From, Seen: o.To}
	}
	return nil
}

func invalid(detail string) error {
	return &zmq.Error{Op: "replay", Errno: syscall.EINVAL, Detail: detail}
}

var (
	errNilContext = invalid("the context.Context is nil; pass context.Background()")
	errNoLoop     = &zmq.Error{Op: "replay", Errno: syscall.EBUSY, Detail: "the context.Context is nil, or another loop over Messages is running"}
)

// checkType returns an error if a socket is nil or closed, or has none of the types.
func checkType(s *zmq.Socket, types ...zmq.SocketType) error {
	if _, err := zmq.SendHWM.Get(s); err != nil {
		return err
	}
	if !slices.Contains(types, s.Type()) {
		return invalid(fmt.Sprintf("this takes a %v socket, not a %v", types[0], s.Type()))
	}
	return nil
}
