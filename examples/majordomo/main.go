// Command majordomo is the Majordomo pattern: workers offer services by name, clients
// ask for them by name, and a broker in between knows who is alive and free.
//
//	go run ./majordomo
//
// It speaks the protocol MDP/0.1 (RFC 7), so that workers and clients in other
// languages fit. broker.go is the broker, on a Reactor; worker.go the worker, with
// heartbeats; client.go the client, a request.Client that any number of goroutines use.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strconv"

	"golang.org/x/sync/errgroup"

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
	c, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer c.Close()
	b, endpoint, err := newBroker(c, "tcp://127.0.0.1:*")
	if err != nil {
		return err
	}
	defer b.close()

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return b.run(ctx) })
	for range 2 {
		g.Go(func() error { return serve(ctx, c, endpoint, "echo", echo) })
		g.Go(func() error { return serve(ctx, c, endpoint, "sum", sum) })
	}
	g.Go(func() error {
		defer stop()
		cl, err := newClient(c, endpoint)
		if err != nil {
			return err
		}
		defer cl.Close()
		return ask(ctx, cl, func() {
			g.Go(func() error { return serve(ctx, c, endpoint, "tea", tea) })
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

// ask uses the services. Nobody offers tea until offerTea is called.
func ask(ctx context.Context, cl *client, offerTea func()) error {
	for _, question := range [][]string{{"echo", "hello"}, {"sum", "12", "30"}, {"sum", "six", "seven"}} {
		if err := cl.show(ctx, question[0]+":", question[0], question[1:]...); err != nil {
			return err
		}
	}
	if err := cl.show(ctx, "is there a service echo?", "mmi.service", "echo"); err != nil {
		return err
	}
	if err := cl.show(ctx, "is there a service tea?", "mmi.service", "tea"); err != nil {
		return err
	}
	offerTea() // a request waits with the broker until a worker has come
	if err := cl.show(ctx, "tea:", "tea"); err != nil {
		return err
	}
	if err := cl.show(ctx, "is there a service tea?", "mmi.service", "tea"); err != nil {
		return err
	}

	g, ctx := errgroup.WithContext(ctx)
	for i := range 100 {
		g.Go(func() error {
			word := strconv.Itoa(i)
			reply, err := cl.call(ctx, "echo", word)
			if err == nil && reply != word {
				err = errors.New("the reply to another request came")
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
