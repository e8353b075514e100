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
func (e *ends) echo(beforeReply func(i int)) (err error) {
	most := echoBatch
	if e.server.Type() == zmq.Rep {
		most = 1 // a REP sends each reply before it receives again
	}
	in := zmq.NewBatch(most)
	defer func() { err = errors.Join(err, in.Close()) }()
	for i := 0; err == nil; {
		if _, err = e.server.RecvBatch(context.Background(), in); err != nil {
			break
		}
		for range in.Len() {
			if beforeReply != nil {
				beforeReply(i)
			}
			i++
		}
		_, err = e.server.SendBatch(context.Background(), in)
	}
	if e.closing.Load() {
		return nil // the error is that the sockets were stopped
	}
	return err
}
