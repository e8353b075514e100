package star

import (
	"context"
	"errors"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

// attempt is how long a client waits for one server before it asks the other.
const attempt = 300 * time.Millisecond

// A Client knows both servers and asks the one that answered last. It is for one goroutine
// at a time.
type Client struct {
	servers [2]*request.Client
	current int
}

// NewClient returns a client of two servers. Each answers requests with a request.Server,
// or does not reply if Accept says so.
func NewClient(zctx *zmq.Context, primary, backup string) (*Client, error) {
	c := &Client{}
	for i, endpoint := range []string{primary, backup} {
		// With Immediate, no request waits in the socket for a server that is gone.
		dealer, err := zctx.NewSocket(zmq.Dealer, zmq.Immediate.To(true), zmq.Linger.To(0))
		if err != nil {
			return nil, err
		}
		if err := dealer.Connect(endpoint); err != nil {
			return nil, err
		}
		if c.servers[i], err = request.NewClient(dealer, request.Config{Timeout: attempt}); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Request asks until a server answers or ctx is done.
func (c *Client) Request(ctx context.Context, parts ...[]byte) ([][]byte, error) {
	for {
		reply, err := c.servers[c.current].Request(ctx, parts...)
		if !errors.Is(err, zmq.ErrAgain) || ctx.Err() != nil {
			return reply, err
		}
		c.current = 1 - c.current
	}
}

// Close closes the client.
func (c *Client) Close() {
	for _, s := range c.servers {
		s.Close()
	}
}
