package load

import (
	"context"
	"errors"

	"github.com/go-zmq/go-zmq/zmq"
)

// echoBatch is how many messages an echo takes at once, to keep up with rates at which
// one call into C per message is too slow.
const echoBatch = 64

// echo answers each message with itself until the sockets are stopped. beforeReply, which
// may be nil, is called before each reply: tests delay it.
func (e *ends) echo(beforeReply func(i int)) error {
	serve := e.echoBatches
	switch e.server.Type() {
	case zmq.Rep, zmq.Pair, zmq.Dealer:
		serve = e.echoOne
	}
	if err := serve(beforeReply); !e.closing.Load() {
		return err
	}
	return nil // the error is that the sockets were stopped
}

func (e *ends) echoOne(beforeReply func(i int)) error {
	buf := make([]byte, e.size+1)
	for i := 0; ; i++ {
		n, err := e.server.Recv(context.Background(), buf)
		if err != nil {
			return err
		}
		if beforeReply != nil {
			beforeReply(i)
		}
		if err := e.server.Send(context.Background(), buf[:n]); err != nil {
			return err
		}
	}
}

// echoBatches sends messages back with their routing ids.
func (e *ends) echoBatches(beforeReply func(i int)) (err error) {
	in := zmq.NewBatch(echoBatch)
	defer func() { err = errors.Join(err, in.Close()) }()
	for i := 0; ; {
		if _, err := e.server.RecvBatch(context.Background(), in); err != nil {
			return err
		}
		for range in.Len() {
			if beforeReply != nil {
				beforeReply(i)
			}
			i++
		}
		if _, err := e.server.SendBatch(context.Background(), in); err != nil {
			return err
		}
	}
}
