// Command pair connects two goroutines, or two processes, and nobody else: one works
// and reports, the other steers, both whenever they like.
//
//	go run ./pair
//
// Between goroutines a Go channel does this, too. A PAIR also does it between
// processes, with another endpoint and the same code.
package main

import (
	"context"
	"fmt"
	"log"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
)

const endpoint = "inproc://line" // or ipc:///run/line.sock

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// counting from 1
	// 1
	// 2
	// 3
	// counting from 100
	// 100
	// 101
	// stopped
}

func run() error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	worker, err := zctx.NewSocket(zmq.Pair)
	if err != nil {
		return err
	}
	if err := worker.Bind(endpoint); err != nil {
		return err
	}
	master, err := zctx.NewSocket(zmq.Pair)
	if err != nil {
		return err
	}
	if err := master.Connect(endpoint); err != nil {
		return err
	}

	g, ctx := errgroup.WithContext(context.Background())
	g.Go(func() error { return work(ctx, worker) })
	g.Go(func() error { return steer(ctx, master) })
	return g.Wait()
}

// work counts as it is told. The next order waits in the socket meanwhile.
func work(ctx context.Context, line *zmq.Socket) error {
	number, credit := 0, 0
	for {
		for credit == 0 {
			order, err := line.RecvString(ctx)
			if err != nil {
				return err
			}
			switch _, err := fmt.Sscanf(order, "count %d from %d", &credit, &number); {
			case order == "stop":
				return line.SendString(ctx, "stopped")
			case err != nil:
				return fmt.Errorf("what is %q? %w", order, err)
			}
			if err := line.SendString(ctx, fmt.Sprint("counting from ", number)); err != nil {
				return err
			}
		}
		if err := line.SendString(ctx, fmt.Sprint(number)); err != nil {
			return err
		}
		number++
		credit--
	}
}

// steer gives all its orders at once, and prints what is reported until the end.
func steer(ctx context.Context, line *zmq.Socket) error {
	for _, order := range []string{"count 3 from 1", "count 2 from 100", "stop"} {
		if err := line.SendString(ctx, order); err != nil {
			return err
		}
	}
	for {
		report, err := line.RecvString(ctx)
		if err != nil {
			return err
		}
		fmt.Println(report)
		if report == "stopped" {
			return nil
		}
	}
}
