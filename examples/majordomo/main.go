// Command majordomo shows the Majordomo pattern: workers offer services by name, clients
// call them by name, and a broker between them knows which workers are alive and free.
//
//	go run ./majordomo
//
// It speaks the protocol MDP/0.1 (RFC 7), so workers and clients in other languages can
// take part. Package mdp has the broker, the worker with its heartbeats, and the client: a
// request.Client that any number of goroutines share.
package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/examples/majordomo/mdp"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

func main() {
	demo.Run(run)
	// Output:
	// echo: hello
	// sum: 42
	// is there a service tea? 404
	// tea: Earl Grey, hot
	// is there a service tea? 200
	// 100 requests at the same time were answered
}

func run(ctx context.Context, d *demo.Demo) error {
	router, endpoint := d.Bind(zmq.Router, demo.AnyPort)
	d.Go(func() error { return mdp.Broker(ctx, router) })
	offer := func(service string, handle mdp.Handler) {
		worker := d.Connect(zmq.Dealer, endpoint)
		d.Go(func() error { return mdp.Serve(ctx, worker, service, handle) })
	}
	for range 2 {
		offer("echo", func(request [][]byte) [][]byte { return request })
		offer("sum", sum)
	}
	client, err := request.NewClient(d.Connect(zmq.Dealer, endpoint), request.Config{Attempts: 3, Timeout: 5 * time.Second})
	if err != nil {
		return err
	}
	defer client.Close()
	show := func(title, service string, words ...string) error {
		reply, err := mdp.Call(ctx, client, service, demo.Message(words...)...)
		if err == nil {
			fmt.Println(title, string(reply[0]))
		}
		return err
	}

	if err := show("echo:", "echo", "hello"); err != nil {
		return err
	}
	if err := show("sum:", "sum", "12", "30"); err != nil {
		return err
	}
	if err := show("is there a service tea?", "mmi.service", "tea"); err != nil {
		return err
	}
	// A request waits in the broker until a worker registers.
	time.AfterFunc(50*time.Millisecond, func() {
		offer("tea", func([][]byte) [][]byte { return demo.Message("Earl Grey, hot") })
	})
	if err := show("tea:", "tea"); err != nil {
		return err
	}
	if err := show("is there a service tea?", "mmi.service", "tea"); err != nil {
		return err
	}

	var g errgroup.Group
	for i := range 100 {
		g.Go(func() error {
			reply, err := mdp.Call(ctx, client, "sum", demo.Message(strconv.Itoa(i))...)
			if err == nil && string(reply[0]) != strconv.Itoa(i) {
				return fmt.Errorf("sum of %d: wrong reply %q", i, reply)
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

// sum adds numbers.
func sum(request [][]byte) [][]byte {
	total := 0
	for _, part := range request {
		n, err := strconv.Atoi(string(part))
		if err != nil {
			return demo.Message(err.Error())
		}
		total += n
	}
	return demo.Message(strconv.Itoa(total))
}
