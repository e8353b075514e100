// Command lazypirate shows the Lazy Pirate pattern: a client that repeats its request when
// no reply arrives, and fails after some attempts.
//
//	go run ./lazypirate
//
// The pattern closes the REQ after each lost reply and creates a new one. The options
// ReqRelaxed and ReqCorrelate make that unnecessary. A request.Client does the same with
// two fields of its Config, and any number of goroutines may share it: prefer it.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

const (
	attempts = 10
	patience = 300 * time.Millisecond // for each attempt
)

func main() {
	demo.Run(run)
	// Output:
	// REQ: reply to "first"
	// REQ: reply to "second"
	// Client: reply to "third"
	// Client: reply to "fourth"
	// the server is gone, and Request fails after 3 attempts
}

func run(ctx context.Context, d *demo.Demo) error {
	server, endpoint := d.Bind(zmq.Router, demo.AnyPort)
	d.Go(func() error { return unreliable(ctx, server) })

	// ReqRelaxed permits a second request without a reply to the first one. ReqCorrelate
	// drops a late reply to the first one.
	req := d.Connect(zmq.Req, endpoint, zmq.ReqRelaxed.To(true), zmq.ReqCorrelate.To(true))
	for _, question := range []string{"first", "second"} {
		reply, err := ask(ctx, req, question)
		if err != nil {
			return err
		}
		fmt.Println("REQ:", reply)
	}

	client, err := request.NewClient(d.Connect(zmq.Dealer, endpoint), request.Config{Attempts: attempts, Timeout: patience})
	if err != nil {
		return err
	}
	defer client.Close()
	for _, question := range []string{"third", "fourth"} {
		reply, err := client.Request(ctx, []byte(question))
		if err != nil {
			return err
		}
		fmt.Printf("Client: %s\n", reply[0])
	}

	if err := server.Close(); err != nil {
		return err
	}
	hasty, err := request.NewClient(d.Connect(zmq.Dealer, endpoint), request.Config{Attempts: 3, Timeout: 50 * time.Millisecond})
	if err != nil {
		return err
	}
	defer hasty.Close()
	if _, err := hasty.Request(ctx, []byte("fifth")); !errors.Is(err, zmq.ErrAgain) {
		return fmt.Errorf("a server that is gone: %w", err)
	}
	fmt.Println("the server is gone, and Request fails after 3 attempts")
	return nil
}

// unreliable is a server that loses one of three requests. It runs until it is closed.
func unreliable(ctx context.Context, server *zmq.Socket) error {
	for n := 0; ; n++ {
		message, err := server.RecvMultipart(ctx)
		if errors.Is(err, zmq.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		if n%3 == 0 {
			continue
		}
		last := len(message) - 1 // the parts before the last one are the client's address
		message[last] = fmt.Appendf(nil, "reply to %q", message[last])
		if err := server.SendMultipart(ctx, message); err != nil {
			return err
		}
	}
}

// ask sends a request on a REQ until there is a reply.
func ask(ctx context.Context, req *zmq.Socket, question string) (reply string, err error) {
	for range attempts {
		if err := req.SendString(ctx, question); err != nil {
			return "", err
		}
		attempt, cancel := context.WithTimeout(ctx, patience)
		reply, err = req.RecvString(attempt)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			return reply, err
		}
	}
	return "", fmt.Errorf("no reply after %d attempts: %w", attempts, err)
}
