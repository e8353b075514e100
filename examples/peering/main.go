// Command peering simulates a cluster of clusters: brokers that give requests to their own
// workers, and to the other cluster with the most free workers when they have none.
//
//	go run ./peering
//
// Each broker (broker.go) publishes how many of its workers are free: the state flow. It
// routes requests by the states of the others: the request flow.
package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

const requests = 100 // per cluster

// The workers of each cluster. Cluster south has clients only.
var workers = map[string]int{"north": 3, "east": 2, "south": 0}

func main() {
	demo.Run(run)
	// Output:
	// 300 of 300 requests were answered
	// cluster south has no workers: others answered all of its 100 requests
}

func run(ctx context.Context, d *demo.Demo) error {
	var g errgroup.Group
	var answered, foreign atomic.Int64
	for name, n := range workers {
		b, err := newBroker(d, name)
		if err != nil {
			return err
		}
		d.Go(func() error { return b.run(ctx) })
		for range n {
			worker := d.Connect(zmq.Dealer, d.IPC(name+"-workers"))
			d.Go(func() error { return work(ctx, worker, name) })
		}
		client, err := request.NewClient(d.Connect(zmq.Dealer, d.IPC(name+"-clients")), request.Config{})
		if err != nil {
			return err
		}
		defer client.Close()
		for range requests {
			g.Go(func() error {
				reply, err := client.Request(ctx, []byte("which cluster answers?"))
				if err != nil {
					return err
				}
				answered.Add(1)
				if name == "south" && string(reply[0]) != name {
					foreign.Add(1)
				}
				return nil
			})
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	fmt.Printf("%d of %d requests were answered\n", answered.Load(), len(workers)*requests)
	fmt.Printf("cluster south has no workers: others answered all of its %d requests\n", foreign.Load())
	return nil
}

// work is a worker. It announces that it is ready, and answers each request with the name
// of its cluster.
func work(ctx context.Context, s *zmq.Socket, name string) error {
	if err := s.SendString(ctx, "ready"); err != nil {
		return err
	}
	for {
		message, err := s.RecvMultipart(ctx)
		if err != nil {
			return err
		}
		message[len(message)-1] = []byte(name) // the parts before it are the way back
		if err := s.SendMultipart(ctx, message); err != nil {
			return err
		}
	}
}
