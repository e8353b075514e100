// Command majordomo shows the Majordomo pattern: workers offer services by name, clients
// call them by name, and a broker between them knows which workers are alive and free.
//
//	go run ./majordomo
//
// It speaks the protocol MDP/0.1 (RFC 7), so workers and clients in other languages can
// take part. Package mdp holds the protocol: broker.go is the broker, on a Reactor,
// worker.go the worker with its heartbeats, and client.go the client, a request.Client
// that any number of goroutines share.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/examples/majordomo/mdp"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// echo: hello
	// sum: 42
	// sum: "six" is no number
	// is there a service echo? 200
	// is there a service tea? 404
	// tea: Earl Grey, hot
	// is there a service tea? 200
	// 100 requests at the same time were answered
}

func run() error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	b, endpoint, err := mdp.NewBroker(zctx, "tcp://127.0.0.1:*")
	if err != nil {
		return err
	}
	defer b.Close()

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return b.Run(ctx) })
	for range 2 {
		g.Go(func() error { return mdp.Serve(ctx, zctx, endpoint, "echo", echo) })
		g.Go(func() error { return mdp.Serve(ctx, zctx, endpoint, "sum", sum) })
	}
	g.Go(func() error {
		defer stop()
		cl, err := mdp.NewClient(zctx, endpoint)
		if err != nil {
			return err
		}
		defer cl.Close()
		return ask(ctx, cl, func() {
			g.Go(func() error { return mdp.Serve(ctx, zctx, endpoint, "tea", tea) })
		})
	})
	return g.Wait()
}

func echo(request [][]byte) [][]byte { return request }

func tea([][]byte) [][]byte { return [][]byte{[]byte("Earl Grey, hot")} }

func sum(request [][]byte) [][]byte {
	total := 0
	for _, part := range request {
		n, err := strconv.Atoi(string(part))
		if err != nil {
			return [][]byte{fmt.Appendf(nil, "%q is no number", part)}
		}
		total += n
	}
	return [][]byte{fmt.Append(nil, total)}
}

// ask uses the services. The service tea has no worker until offerTea is called.
func ask(ctx context.Context, cl *mdp.Client, offerTea func()) error {
	for _, question := range [][]string{{"echo", "hello"}, {"sum", "12", "30"}, {"sum", "six", "seven"}} {
		if err := show(ctx, cl, question[0]+":", question[0], question[1:]...); err != nil {
			return err
		}
	}
	if err := show(ctx, cl, "is there a service echo?", "mmi.service", "echo"); err != nil {
		return err
	}
	if err := show(ctx, cl, "is there a service tea?", "mmi.service", "tea"); err != nil {
		return err
	}
	offerTea() // a request waits in the broker until a worker registers
	if err := show(ctx, cl, "tea:", "tea"); err != nil {
		return err
	}
	if err := show(ctx, cl, "is there a service tea?", "mmi.service", "tea"); err != nil {
		return err
	}

	g, ctx := errgroup.WithContext(ctx)
	for i := range 100 {
		g.Go(func() error {
			word := strconv.Itoa(i)
			reply, err := cl.Call(ctx, "echo", []byte(word))
			if err == nil && string(reply[0]) != word {
				err = errors.New("received the reply to another request")
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	fmt.Println("100 requests at the same time were answered")
	return nil
}

// show calls a service and prints the reply.
func show(ctx context.Context, cl *mdp.Client, title, service string, words ...string) error {
	body := make([][]byte, len(words))
	for i, word := range words {
		body[i] = []byte(word)
	}
	reply, err := cl.Call(ctx, service, body...)
	if err != nil {
		return err
	}
	fmt.Println(title, string(reply[0]))
	return nil
}
