// Command simplepirate is the Simple Pirate pattern: a queue gives each request to the
// worker that has been free for longest, and clients ask again when a worker dies.
//
//	go run ./simplepirate
//
// It also is the guide's load-balancing broker. Since any goroutine may use any
// socket, the queue needs no poll loop: one goroutine moves requests to the workers,
// another one moves replies back, and a channel between them has the free workers.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

const (
	clientEndpoint = "inproc://clients"
	workerEndpoint = "inproc://workers"
)

// ready is what a worker says when it has no reply to give: it is free.
const ready = "\x01"

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// a worker died with a request in its hands
	// 20 of 20 requests were answered
}

func run() error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	clients, err := bound(zctx, clientEndpoint)
	if err != nil {
		return err
	}
	workers, err := bound(zctx, workerEndpoint)
	if err != nil {
		return err
	}

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	free := make(chan []byte, 1000) // more than there are workers
	g.Go(ended(ctx, func() error { return giveOut(ctx, clients, workers, free) }))
	g.Go(ended(ctx, func() error { return bringBack(ctx, clients, workers, free) }))
	g.Go(ended(ctx, func() error {
		if err := work(ctx, zctx, 2); err != nil { // dies at its second request
			return err
		}
		fmt.Println("a worker died with a request in its hands")
		for range 3 {
			g.Go(ended(ctx, func() error { return work(ctx, zctx, 0) }))
		}
		return nil
	}))
	g.Go(func() error {
		defer stop()
		answered, err := ask(ctx, zctx, 4, 5)
		fmt.Println(answered, "of 20 requests were answered")
		return err
	})
	return g.Wait()
}

func bound(zctx *zmq.Context, endpoint string) (*zmq.Socket, error) {
	s, err := zctx.NewSocket(zmq.Router, zmq.Linger.To(0))
	if err != nil {
		return nil, err
	}
	return s, s.Bind(endpoint)
}

// ended runs f and takes the end of ctx for a success: that is how all of this ends.
func ended(ctx context.Context, f func() error) func() error {
	return func() error {
		if err := f(); ctx.Err() == nil {
			return err
		}
		return nil
	}
}

// giveOut takes a free worker, and only then a request: until there is one, requests
// wait in the socket, and behind its high-water mark with the clients.
func giveOut(ctx context.Context, clients, workers *zmq.Socket, free <-chan []byte) error {
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

// bringBack enters each worker that speaks as free, and passes its reply on.
func bringBack(ctx context.Context, clients, workers *zmq.Socket, free chan<- []byte) error {
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

// work answers requests with a REQ socket: its first "request" says that it is free,
// and each reply does, too. It dies at the request of the number given, if there is one.
func work(ctx context.Context, zctx *zmq.Context, last int) error {
	worker, err := zctx.NewSocket(zmq.Req, zmq.Linger.To(0))
	if err != nil {
		return err
	}
	defer worker.Close()
	if err := worker.Connect(workerEndpoint); err != nil {
		return err
	}
	if err := worker.SendString(ctx, ready); err != nil {
		return err
	}
	for n := 1; ; n++ {
		message, err := worker.RecvMultipart(ctx)
		if err != nil {
			return err
		}
		if n == last {
			return nil
		}
		body := len(message) - 1 // what is before it belongs to the client
		message[body] = append(message[body], '!')
		if err := worker.SendMultipart(ctx, message); err != nil {
			return err
		}
	}
}

// ask has goroutines send requests through one client, and returns how many were
// answered rightly. The client is a lazy pirate: see there.
func ask(ctx context.Context, zctx *zmq.Context, goroutines, requests int) (int, error) {
	dealer, err := zctx.NewSocket(zmq.Dealer, zmq.Linger.To(0))
	if err != nil {
		return 0, err
	}
	if err := dealer.Connect(clientEndpoint); err != nil {
		return 0, err
	}
	client, err := request.NewClient(dealer, request.Config{Attempts: 20, Timeout: 500 * time.Millisecond})
	if err != nil {
		return 0, err
	}
	defer client.Close()

	var answered atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for i := range goroutines {
		g.Go(func() error {
			for j := range requests {
				question := fmt.Sprintf("%d.%d", i, j)
				answer, err := client.Request(ctx, []byte(question))
				if err != nil {
					return err
				}
				if string(answer[0]) != question+"!" {
					return errors.New("the answer to another question came")
				}
				answered.Add(1)
			}
			return nil
		})
	}
	err = g.Wait()
	return int(answered.Load()), err
}
