// Command asyncserver shows the asynchronous server: DEALER clients that send without
// waiting for replies, and a server that sends any number of replies to each request.
//
//	go run ./asyncserver
//
// In other languages the server needs a ROUTER for the clients, a DEALER for the workers
// and a proxy between them, because each thread needs a socket of its own. Here the
// workers are goroutines that share the ROUTER: each receives a whole message, with the
// client's address in front, and replies on the same socket.
//
// For one reply to each request, use package request instead.
package main

import (
	"context"
	"fmt"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

const (
	clients  = 3
	workers  = 4
	requests = 100 // per client
)

func main() {
	demo.Run(run)
	// Output:
	// client 0 received 300 replies to 100 requests
	// client 1 received 300 replies to 100 requests
	// client 2 received 300 replies to 100 requests
}

func run(ctx context.Context, d *demo.Demo) error {
	server, endpoint := d.Bind(zmq.Router, demo.AnyPort)
	for range workers {
		d.Go(func() error { return work(ctx, server) })
	}
	var g errgroup.Group
	replies := make([]int, clients)
	for i := range replies {
		dealer := d.Connect(zmq.Dealer, endpoint)
		g.Go(func() error { return send(ctx, dealer) })
		g.Go(func() (err error) {
			replies[i], err = receive(ctx, dealer)
			return err
		})
	}
	err := g.Wait()
	for i, n := range replies {
		fmt.Printf("client %d received %d replies to %d requests\n", i, n, requests)
	}
	return err
}

// work replies to each request as often as the request says, until ctx is done.
func work(ctx context.Context, server *zmq.Socket) error {
	for {
		request, err := server.RecvMultipart(ctx) // address, name, number of replies
		if err != nil {
			return err
		}
		if len(request) != 3 {
			continue // from another kind of client
		}
		times, err := strconv.Atoi(string(request[2]))
		if err != nil {
			continue
		}
		for n := range times {
			request[2] = []byte(strconv.Itoa(n))
			if err := server.SendMultipart(ctx, request); err != nil {
				return err
			}
		}
	}
}

// times returns how many replies a request asks for.
func times(request int) int { return request%5 + 1 }

// send sends all requests: their names and the number of replies.
func send(ctx context.Context, dealer *zmq.Socket) error {
	for i := range requests {
		if err := dealer.SendMultipart(ctx, demo.Message(strconv.Itoa(i), strconv.Itoa(times(i)))); err != nil {
			return err
		}
	}
	return nil
}

// receive returns the number of replies. Each must arrive once, in any order.
func receive(ctx context.Context, dealer *zmq.Socket) (replies int, err error) {
	missing := map[string]bool{}
	for i := range requests {
		for n := range times(i) {
			missing[fmt.Sprint(i, ".", n)] = true
		}
	}
	for ; len(missing) > 0; replies++ {
		reply, err := dealer.RecvMultipart(ctx) // name, number of the reply
		if err != nil {
			return replies, err
		}
		key := string(reply[0]) + "." + string(reply[1])
		if !missing[key] {
			return replies, fmt.Errorf("unexpected reply %q", key)
		}
		delete(missing, key)
	}
	return replies, nil
}
