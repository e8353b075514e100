package load

import (
	"context"
	"errors"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// group is where a RADIO sends to.
const group = "g"

// listen is how long a DISH waits for a greeting before the RADIO sends another.
const listen = 10 * time.Millisecond

// tuneIn sends greetings until the DISH has received one: a RADIO does not know who has
// joined. The length of a greeting is its number, which shows the last one.
func (c *client) tuneIn() error {
	if err := c.replies.Set(zmq.RecvTimeout.To(listen)); err != nil {
		return err
	}
	sent, heard := 0, 0
	for heard == 0 || heard < sent {
		if heard == 0 {
			sent++
			if err := c.socket.SendGroup(context.Background(), group, make([]byte, sent)); err != nil {
				return err
			}
		}
		p, err := c.replies.RecvBytes(context.Background())
		switch {
		case err == nil:
			heard = len(p)
		case !errors.Is(err, zmq.ErrAgain):
			return err
		}
	}
	return c.replies.Set(zmq.RecvTimeout.To(-1))
}
