// Command paranoidpirate is the Paranoid Pirate pattern: queue and workers send each
// other heartbeats, so that either notices when the other has died, hangs or restarts.
//
//	go run ./paranoidpirate
//
// queue.go is the queue, on a Reactor with handlers and timers; worker.go the worker,
// with a select over its socket and timers; the clients are lazy pirates. The queue
// and each worker have a zmq.Context of their own, as if they were processes.
//
// When all that is to be noticed is that a connection is dead, the options
// HeartbeatInterval and HeartbeatTimeout have libzmq do it. They do not notice a
// program that hangs while its connection lives, and do not know who is free.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

const (
	interval = 50 * time.Millisecond // between heartbeats
	liveness = 5                     // intervals without a sign of life: it is dead
)

// What queue and workers say to each other besides requests and replies.
const (
	ready     = "\x01"
	heartbeat = "\x02"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// a worker died with a request in its hands
	// 10 of 10 requests were answered
	// the queue died, and a new one came
	// 10 of 10 requests were answered
}

func run() error {
	dir, err := os.MkdirTemp("", "pirate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	clients, workers := "ipc://"+filepath.Join(dir, "clients"), "ipc://"+filepath.Join(dir, "workers")

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	firstQueue, die := context.WithCancel(ctx)
	defer die()
	died := make(chan struct{})
	g.Go(func() error {
		defer close(died)
		return serveQueue(firstQueue, clients, workers)
	})
	g.Go(func() error {
		if err := work(ctx, workers, 2); err != nil || ctx.Err() != nil {
			return err
		}
		fmt.Println("a worker died with a request in its hands")
		for range 3 {
			g.Go(func() error { return work(ctx, workers, 0) })
		}
		return nil
	})
	g.Go(func() error {
		defer stop()
		return ask(ctx, clients, 10, func() {
			die()
			<-died
			fmt.Println("the queue died, and a new one came")
			g.Go(func() error { return serveQueue(ctx, clients, workers) })
		})
	})
	return g.Wait()
}

// ask sends so many requests at the same time, and as many more after then.
func ask(ctx context.Context, endpoint string, requests int, then func()) error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	dealer, err := zctx.NewSocket(zmq.Dealer, zmq.Linger.To(0))
	if err != nil {
		return err
	}
	if err := dealer.Connect(endpoint); err != nil {
		return err
	}
	client, err := request.NewClient(dealer, request.Config{Attempts: 40, Timeout: 400 * time.Millisecond})
	if err != nil {
		return err
	}
	defer client.Close()
	for round := range 2 {
		if round > 0 {
			then()
		}
		var answered atomic.Int64
		g, ctx := errgroup.WithContext(ctx)
		for i := range requests {
			g.Go(func() error {
				question := fmt.Sprint("question ", i)
				answer, err := client.Request(ctx, []byte(question))
				if err == nil && string(answer[0]) == question+"!" {
					answered.Add(1)
				}
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		fmt.Println(answered.Load(), "of", requests, "requests were answered")
	}
	return nil
}
