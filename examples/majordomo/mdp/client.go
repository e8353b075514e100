package mdp

import (
	"context"
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

// A Client calls services by name. It is safe for use by any number of goroutines.
type Client struct{ *request.Client }

// NewClient returns a client of the broker at an endpoint.
func NewClient(zctx *zmq.Context, endpoint string) (*Client, error) {
	dealer, err := zctx.NewSocket(zmq.Dealer, zmq.Linger.To(0))
	if err != nil {
		return nil, err
	}
	if err := dealer.Connect(endpoint); err != nil {
		return nil, err
	}
	// To the broker, the number that a request.Client puts before the empty part is one
	// more part of the client's address.
	r, err := request.NewClient(dealer, request.Config{Attempts: 3, Timeout: 5 * time.Second})
	return &Client{r}, err
}

// Call sends a request to a service and returns the parts of the reply.
func (cl *Client) Call(ctx context.Context, service string, body ...[]byte) ([][]byte, error) {
	reply, err := cl.Request(ctx, join(words(clientProtocol, service), body)...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", service, err)
	}
	if len(reply) < 3 || string(reply[0]) != clientProtocol || string(reply[1]) != service {
		return nil, fmt.Errorf("%s: unexpected reply %q", service, reply)
	}
	return reply[2:], nil
}
