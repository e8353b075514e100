// Command simplepirate shows the Simple Pirate pattern: a queue gives each request to the
// worker that has been free for longest, and clients repeat requests that a worker loses.
//
//	go run ./simplepirate
//
// It is also the load-balancing broker of the guide. Any goroutine may use any socket, so
// the queue needs no poll loop: one goroutine gives requests to workers, another one
// returns replies, and a Go channel between them holds the free workers.
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

const forClients, forWorkers = "inproc://clients", "inproc://workers"

// ready is what a worker sends before its first request.
const ready = "\x01"

func main() {
	demo.Run(run)
	// Output:
	// a worker fails with a request that it has not answered
	// 20 of 20 requests were answered
}

func run(ctx context.Context, d *demo.Demo) error {
	clients, _ := d.Bind(zmq.Router, forClients)
	workers, _ := d.Bind(zmq.Router, forWorkers)
	free := make(chan []byte, 1000) // more than there are workers
	d.Go(func() error { return giveRequests(ctx, clients, workers, free) })
	d.Go(func() error { return returnReplies(ctx, clients, workers, free) })
	d.Go(func() error {
		failing := d.Connect(zmq.Req, forWorkers)
		if err := work(ctx, failing, 2); err != nil {
			return err
		}
		fmt.Println("a worker fails with a request that it has not answered")
		for range 3 {
			worker := d.Connect(zmq.Req, forWorkers)
			d.Go(func() error { return work(ctx, worker, -1) })
		}
		return nil
	})

	config := request.Config{Attempts: 20, Timeout: 500 * time.Millisecond}
	client, err := request.NewClient(d.Connect(zmq.Dealer, forClients), config)
	if err != nil {
		return err
	}
	defer client.Close()
	const requests = 20
	var g errgroup.Group
	for i := range requests {
		g.Go(func() error {
			question := fmt.Sprint("question ", i)
			reply, err := client.Request(ctx, []byte(question))
			if err == nil && string(reply[0]) != question+"!" {
				return fmt.Errorf("%s: wrong reply %q", question, reply[0])
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	fmt.Println(requests, "of", requests, "requests were answered")
	return nil
}

// giveRequests receives a request only when a worker is free. Until then, requests wait in
// the socket, and beyond its high-water mark (HWM) in the clients.
func giveRequests(ctx context.Context, clients, workers *zmq.Socket, free <-chan []byte) error {
	for {
		var worker []byte
		select {
		case worker = <-free:
		case <-ctx.Done():
			return ctx.Err()
		}
		message, err := clients.RecvMultipart(ctx)
		if err != nil {
			return err
		}
		if err := workers.SendMultipart(ctx, append([][]byte{worker, nil}, message...)); err != nil {
			return err
		}
	}
}

// returnReplies sends replies to the clients. A worker that sends anything is free.
func returnReplies(ctx context.Context, clients, workers *zmq.Socket, free chan<- []byte) error {
	for {
		message, err := workers.RecvMultipart(ctx) // id, empty part, reply
		if err != nil {
			return err
		}
		free <- message[0]
		if reply := message[2:]; string(reply[0]) != ready {
			if err := clients.SendMultipart(ctx, reply); err != nil {
				return err
			}
		}
	}
}

// work answers requests with a REQ: each reply asks for the next request. It returns when
// it has received the request with the number last, and does not answer that one.
func work(ctx context.Context, worker *zmq.Socket, last int) error {
	if err := worker.SendString(ctx, ready); err != nil {
		return err
	}
	for n := 1; ; n++ {
		message, err := worker.RecvMultipart(ctx)
		if err != nil || n == last {
			return err
		}
		body := len(message) - 1 // the parts before it are the client's address
		message[body] = append(message[body], '!')
		if err := worker.SendMultipart(ctx, message); err != nil {
			return err
		}
	}
}
