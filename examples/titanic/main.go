// Command titanic shows the Titanic pattern: requests that are kept on disk until a worker
// has answered them, so that client, worker and broker need not run at the same time.
//
//	go run ./titanic
//
// Titanic is a worker and a client of a Majordomo broker (package mdp). It offers three
// services: titanic.request keeps a request and returns its number, titanic.reply returns
// the reply when there is one, and titanic.close deletes it. store.go is Titanic. Requests
// may be repeated after a crash, so services must tolerate that.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/examples/majordomo/mdp"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// the request is kept, and there is no worker: 300 pending
	// Titanic stops and starts again, and a worker registers
	// the reply: 200 hello
	// after titanic.close: 400 unknown
}

func run() error {
	dir, err := os.MkdirTemp("", "titanic")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	broker, endpoint, err := mdp.NewBroker(zctx, "tcp://127.0.0.1:*")
	if err != nil {
		return err
	}
	defer broker.Close()

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return broker.Run(ctx) })
	g.Go(func() error {
		defer stop()
		client, err := mdp.NewClient(zctx, endpoint)
		if err != nil {
			return err
		}
		defer client.Close()
		return use(ctx, client, func(ctx context.Context) error {
			return serve(ctx, zctx, endpoint, dir)
		}, func() {
			g.Go(func() error { return mdp.Serve(ctx, zctx, endpoint, "echo", echo) })
		})
	})
	return g.Wait()
}

func echo(request [][]byte) [][]byte { return request }

// use sends a request to a service that has no worker, restarts Titanic, starts a worker
// and fetches the reply.
func use(ctx context.Context, client *mdp.Client, titanic func(context.Context) error, startWorker func()) error {
	first, sink := context.WithCancel(ctx)
	defer sink()
	var g errgroup.Group
	g.Go(func() error { return titanic(first) })

	answer, err := client.Call(ctx, "titanic.request", []byte("echo"), []byte("hello"))
	if err != nil {
		return err
	}
	number := answer[1]
	if answer, err = client.Call(ctx, "titanic.reply", number); err != nil {
		return err
	}
	fmt.Printf("the request is kept, and there is no worker: %s\n", answer[0])

	sink()
	if err := g.Wait(); err != nil {
		return err
	}
	second, sink := context.WithCancel(ctx)
	defer sink()
	g.Go(func() error { return titanic(second) })
	startWorker()
	fmt.Println("Titanic stops and starts again, and a worker registers")
	for string(answer[0]) == pending { // a real client would do something else in between
		if answer, err = client.Call(ctx, "titanic.reply", number); err != nil {
			return err
		}
	}
	fmt.Printf("the reply: %s %s\n", answer[0], answer[1])

	if _, err := client.Call(ctx, "titanic.close", number); err != nil {
		return err
	}
	if answer, err = client.Call(ctx, "titanic.reply", number); err != nil {
		return err
	}
	fmt.Printf("after titanic.close: %s\n", answer[0])
	sink()
	return g.Wait()
}
