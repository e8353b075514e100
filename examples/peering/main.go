// Command peering simulates a cluster of clusters: brokers that give requests to their own
// workers, and to other brokers when these have more free workers.
//
//	go run ./peering
//
// Each broker publishes how many of its workers are free (state flow), and routes requests
// by what the others publish (request flow). broker.go is the broker. Clients are
// request.Clients. Clusters have a zmq.Context each, as if they were processes.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

const requests = 50 // per client

// The workers of each cluster. Cluster south has clients only.
var workers = map[string]int{"north": 3, "east": 2, "south": 0}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 300 of 300 requests were answered
	// cluster south has no workers: others answered all of its 100 requests
}

func run() error {
	dir, err := os.MkdirTemp("", "peering")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()

	serving, stop := context.WithCancel(ctx)
	defer stop()
	var clusters, clients errgroup.Group
	var answered, foreign atomic.Int64
	for name, n := range workers {
		b, err := newBroker(dir, name)
		if err != nil {
			stop()
			return errors.Join(err, clusters.Wait())
		}
		clusters.Go(func() error { return b.run(serving) })
		for range n {
			clusters.Go(func() error { return work(serving, b.zctx, name) })
		}
		for range 2 {
			clients.Go(func() error {
				return ask(ctx, b.zctx, func(by string) {
					answered.Add(1)
					if name == "south" && by != name {
						foreign.Add(1)
					}
				})
			})
		}
	}
	err = clients.Wait()
	stop()
	if err := errors.Join(err, clusters.Wait()); err != nil {
		return err
	}
	fmt.Printf("%d of %d requests were answered\n", answered.Load(), 2*len(workers)*requests)
	fmt.Printf("cluster south has no workers: others answered all of its %d requests\n", foreign.Load())
	return nil
}

// work is a worker. It says that it is ready, and answers each request with the name of
// its cluster.
func work(ctx context.Context, zctx *zmq.Context, name string) error {
	s, err := zctx.NewSocket(zmq.Dealer, zmq.Linger.To(0))
	if err != nil {
		return err
	}
	if err := s.Connect(forWorkers); err != nil {
		return err
	}
	if err := s.SendString(ctx, "ready"); err != nil {
		return ended(ctx, err)
	}
	for {
		message, err := s.RecvMultipart(ctx)
		if err != nil {
			return ended(ctx, err)
		}
		message[len(message)-1] = []byte(name) // the parts before it are the way back
		if err := s.SendMultipart(ctx, message); err != nil {
			return ended(ctx, err)
		}
	}
}

// ended returns nil if an error means that the cluster was stopped.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// ask sends all requests at the same time.
func ask(ctx context.Context, zctx *zmq.Context, answered func(by string)) error {
	s, err := zctx.NewSocket(zmq.Dealer, zmq.Linger.To(0))
	if err != nil {
		return err
	}
	if err := s.Connect(forClients); err != nil {
		return err
	}
	client, err := request.NewClient(s, request.Config{})
	if err != nil {
		return err
	}
	defer client.Close()
	g, ctx := errgroup.WithContext(ctx)
	for range requests {
		g.Go(func() error {
			reply, err := client.Request(ctx, []byte("who answers?"))
			if err == nil {
				answered(string(reply[0]))
			}
			return err
		})
	}
	return g.Wait()
}
