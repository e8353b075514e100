package main

import (
	"context"
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

// A client asks for services. Any number of goroutines may use it.
type client struct{ *request.Client }

func newClient(c *zmq.Context, endpoint string) (*client, error) {
	dealer, err := c.NewSocket(zmq.Dealer, zmq.Linger.To(0))
	if err != nil {
		return nil, err
	}
	if err := dealer.Connect(endpoint); err != nil {
		return nil, err
	}
	// The number that a request.Client puts before the empty part is, to the broker,
	// a part of the client's address.
	r, err := request.NewClient(dealer, request.Config{Attempts: 3, Timeout: 5 * time.Second})
	return &client{r}, err
}

// call has a service work, and returns the first part of its reply.
func (cl *client) call(ctx context.Context, service string, words ...string) (string, error) {
	reply, err := cl.Request(ctx, join(parts(clientProtocol, service), parts(words...))...)
	if err != nil {
		return "", fmt.Errorf("%s: %w", service, err)
	}
	if len(reply) < 3 || string(reply[0]) != clientProtocol || string(reply[1]) != service {
		return "", fmt.Errorf("%s: the broker said %q", service, reply)
	}
	return string(reply[2]), nil
}

// show is call that prints what comes.
func (cl *client) show(ctx context.Context, title, service string, words ...string) error {
	reply, err := cl.call(ctx, service, words...)
	if err != nil {
		return err
	}
	fmt.Println(title, reply)
	return nil
}
