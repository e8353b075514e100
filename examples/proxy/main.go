// Command proxy puts zmq.Proxy between clients and servers: a ROUTER that clients connect
// to, and a DEALER that servers connect to and that gives them the requests in turn.
//
//	go run ./proxy
//
// Clients and servers need to know only the proxy, not each other. When its context is
// done, the proxy returns and loses no message. espresso has a proxy for publications,
// which also copies what it forwards.
package main

import (
	"context"
	"fmt"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

func main() {
	demo.Run(run)
	// Output:
	// replies of server 0: 10
	// replies of server 1: 10
}

func run(ctx context.Context, d *demo.Demo) error {
	front, clientsAt := d.Bind(zmq.Router, demo.AnyPort)
	back, serversAt := d.Bind(zmq.Dealer, demo.AnyPort)
	for i := range 2 {
		s := d.Connect(zmq.Dealer, serversAt)
		server := request.Server{Handle: func(context.Context, [][]byte) [][]byte {
			return demo.Message(fmt.Sprint("server ", i))
		}}
		d.Go(func() error { return server.Serve(ctx, s) })
	}
	if err := back.WaitConnected(ctx, 2); err != nil {
		return err
	}
	d.Go(func() error { return zmq.Proxy(ctx, front, back, nil) })

	client, err := request.NewClient(d.Connect(zmq.Dealer, clientsAt), request.Config{})
	if err != nil {
		return err
	}
	defer client.Close()
	replies := map[string]int{}
	for range 20 {
		reply, err := client.Request(ctx, []byte("which server is this?"))
		if err != nil {
			return err
		}
		replies[string(reply[0])]++
	}
	for _, name := range []string{"server 0", "server 1"} {
		fmt.Printf("replies of %s: %d\n", name, replies[name])
	}
	return nil
}
