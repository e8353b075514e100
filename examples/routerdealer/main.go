// Command routerdealer shows a request broker: clients send requests to a ROUTER, workers
// reply behind a DEALER, and a loop with a poller moves the messages.
//
//	go run ./routerdealer
//
// Clients and workers do not know how many there are of the other kind. zmq.Proxy replaces
// the loop, see proxy. Write the loop if the broker has to look at the messages.
package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

const front, back = "inproc://front", "inproc://back"

func main() {
	demo.Run(run)
	// Output:
	// client 0: 1 squared is 1, 2 squared is 4
	// client 1: 11 squared is 121, 12 squared is 144
	// client 2: 21 squared is 441, 22 squared is 484
}

func run(ctx context.Context, d *demo.Demo) error {
	router, _ := d.Bind(zmq.Router, front)
	dealer, _ := d.Bind(zmq.Dealer, back)
	d.Go(func() error { return broker(ctx, router, dealer) })
	for range 2 {
		worker := d.Connect(zmq.Rep, back)
		d.Go(func() error { return work(ctx, worker) })
	}
	for i := range 3 {
		client := d.Connect(zmq.Req, front)
		first, err := ask(ctx, client, 10*i+1)
		if err != nil {
			return err
		}
		second, err := ask(ctx, client, 10*i+2)
		if err != nil {
			return err
		}
		fmt.Printf("client %d: %s, %s\n", i, first, second)
	}
	return nil
}

// broker moves messages until ctx is done. The ROUTER puts the id of the client in front of
// a request. The REP of the worker puts the id in front of its reply, and the ROUTER
// removes it and sends the reply to that client.
func broker(ctx context.Context, router, dealer *zmq.Socket) error {
	p, err := poller.New()
	if err != nil {
		return err
	}
	defer p.Close()
	other := map[*zmq.Socket]*zmq.Socket{router: dealer, dealer: router}
	for s := range other {
		if err := p.Add(s, poller.In); err != nil {
			return err
		}
	}
	for {
		events, err := p.Wait(ctx)
		if err != nil {
			return err
		}
		for _, event := range events {
			message, err := event.Socket.RecvMultipart(ctx, zmq.DontWait)
			if err != nil {
				return err
			}
			if err := other[event.Socket].SendMultipart(ctx, message); err != nil {
				return err
			}
		}
	}
}

// work squares numbers until ctx is done.
func work(ctx context.Context, worker *zmq.Socket) error {
	for {
		request, err := worker.RecvString(ctx)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(request)
		if err != nil {
			return err
		}
		if err := worker.SendString(ctx, fmt.Sprintf("%d squared is %d", n, n*n)); err != nil {
			return err
		}
	}
}

// ask sends a number and returns the reply.
func ask(ctx context.Context, client *zmq.Socket, n int) (string, error) {
	if err := client.SendString(ctx, strconv.Itoa(n)); err != nil {
		return "", err
	}
	return client.RecvString(ctx)
}
