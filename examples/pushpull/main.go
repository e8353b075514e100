// Command pushpull shares work out: in turn among sockets, and among goroutines that
// take from one socket.
//
//	go run ./pushpull
//
// A PUSH deals its messages out evenly, however long each takes. A PULL that several
// goroutines share gives a message to whichever is free. ventilator has all three
// stages of a pipeline.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
)

const (
	tasks   = 120
	sockets = 3 // machines, if this were more than one
	workers = 4 // goroutines of each
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// socket 0 got 40 tasks
	// socket 1 got 40 tasks
	// socket 2 got 40 tasks
}

func run() error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	push, err := zctx.NewSocket(zmq.Push)
	if err != nil {
		return err
	}
	if err := push.Bind("tcp://127.0.0.1:*"); err != nil {
		return err
	}
	endpoint, err := push.LastEndpoint()
	if err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	g, ctx := errgroup.WithContext(ctx)
	var got [sockets]atomic.Int64
	var left atomic.Int64
	left.Store(tasks)
	for i := range got {
		pull, err := zctx.NewSocket(zmq.Pull)
		if err != nil {
			return err
		}
		if err := pull.Connect(endpoint); err != nil {
			return err
		}
		for range workers {
			g.Go(func() error {
				return work(ctx, pull, func(string) {
					got[i].Add(1)
					if left.Add(-1) == 0 {
						cancel()
					}
				})
			})
		}
	}

	// Otherwise all the tasks would go to the first that is connected.
	if err := push.WaitConnected(ctx, sockets); err != nil {
		return err
	}
	for i := range tasks {
		if err := push.SendString(ctx, fmt.Sprint("task ", i)); err != nil {
			return err
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i := range got {
		fmt.Printf("socket %d got %d tasks\n", i, got[i].Load())
	}
	return nil
}

// work does tasks until ctx ends.
func work(ctx context.Context, pull *zmq.Socket, do func(task string)) error {
	for {
		task, err := pull.RecvString(ctx)
		if errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return err
		}
		do(task)
	}
}
