// Command freelance shows the Freelance pattern: clients that know several servers, with
// no broker in between.
//
//	go run ./freelance
//
// The guide has three models. A request.Client replaces the first two: it is connected to
// all servers, asks the next one when no reply arrives (failover), and skips servers
// without a connection. If time matters more than work, ask all servers at once and use
// the first reply (shotgun).
package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

func main() {
	demo.Run(run)
	// Output:
	// failover: 10 of 10 requests were answered by Grace
	// shotgun: Grace answered first
}

func run(ctx context.Context, d *demo.Demo) error {
	// Of three servers, Grace answers, one accepts requests and never replies, and one does
	// not exist.
	grace, graceAt := d.Bind(zmq.Router, demo.AnyPort)
	server := request.Server{Handle: func(context.Context, [][]byte) [][]byte { return demo.Message("Grace") }}
	d.Go(func() error { return server.Serve(ctx, grace) })
	_, silentAt := d.Bind(zmq.Router, demo.AnyPort)
	endpoints := []string{graceAt, silentAt, "tcp://127.0.0.1:1"}

	if err := failover(ctx, d, endpoints); err != nil {
		return err
	}
	return shotgun(ctx, d, endpoints)
}

// newClient returns a client of all servers. With Immediate, the socket gives requests only
// to servers that are connected.
func newClient(d *demo.Demo, config request.Config, endpoints ...string) (*request.Client, error) {
	dealer := d.Connect(zmq.Dealer, endpoints[0], zmq.Immediate.To(true))
	for _, endpoint := range endpoints[1:] {
		if err := dealer.Connect(endpoint); err != nil {
			return nil, err
		}
	}
	return request.NewClient(dealer, config)
}

// failover asks one server at a time. The socket sends to its servers in turn, so the next
// attempt goes to the next server.
func failover(ctx context.Context, d *demo.Demo, endpoints []string) error {
	client, err := newClient(d, request.Config{Attempts: 20, Timeout: 200 * time.Millisecond}, endpoints...)
	if err != nil {
		return err
	}
	defer client.Close()
	var g errgroup.Group
	const requests = 10
	for range requests {
		g.Go(func() error {
			reply, err := client.Request(ctx, []byte("what is your name?"))
			if err == nil && string(reply[0]) != "Grace" {
				return fmt.Errorf("failover: wrong reply %q", reply)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	fmt.Printf("failover: %d of %d requests were answered by Grace\n", requests, requests)
	return nil
}

// shotgun asks all servers at the same time, each with a client of its own.
func shotgun(ctx context.Context, d *demo.Demo, endpoints []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	names := make(chan string, len(endpoints))
	for _, endpoint := range endpoints {
		client, err := newClient(d, request.Config{}, endpoint)
		if err != nil {
			return err
		}
		defer client.Close()
		go func() {
			if reply, err := client.Request(ctx, []byte("what is your name?")); err == nil {
				names <- string(reply[0])
			}
		}()
	}
	select {
	case name := <-names:
		fmt.Println("shotgun:", name, "answered first")
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
