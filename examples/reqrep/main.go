// Command reqrep is the simplest exchange: a REQ asks, a REP answers, in turn.
//
//	go run ./reqrep
//
// See lazypirate for what a client does about a server that may be down.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// Hello, Ada
	// Hello, Grace
	// Hello, Barbara
}

func run() error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()

	server, err := zctx.NewSocket(zmq.Rep)
	if err != nil {
		return err
	}
	if err := server.Bind("tcp://127.0.0.1:*"); err != nil { // any free port
		return err
	}
	endpoint, err := server.LastEndpoint()
	if err != nil {
		return err
	}

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return serve(ctx, server) })
	g.Go(func() error {
		defer stop()
		return ask(ctx, zctx, endpoint, "Ada", "Grace", "Barbara")
	})
	return g.Wait()
}

// serve greets whoever asks, until ctx ends.
func serve(ctx context.Context, server *zmq.Socket) error {
	for {
		name, err := server.RecvString(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if err := server.SendString(context.Background(), "Hello, "+name); err != nil {
			return err
		}
	}
}

// ask sends the names one after the other, and gives each answer ten seconds.
func ask(ctx context.Context, zctx *zmq.Context, endpoint string, names ...string) error {
	client, err := zctx.NewSocket(zmq.Req)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.Connect(endpoint); err != nil {
		return err
	}
	for _, name := range names {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		if err := client.SendString(ctx, name); err != nil {
			return err
		}
		greeting, err := client.RecvString(ctx)
		if err != nil {
			return err
		}
		fmt.Println(greeting)
	}
	return nil
}
