// Command pair shows a PAIR: a connection of exactly two sockets, on which both sides send
// at any time. One side counts as it is ordered, and reports.
//
//	go run ./pair
//
// Between goroutines a Go channel can do this as well. Between processes, the same code
// works with another endpoint.
package main

import (
	"context"
	"fmt"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

const endpoint = "inproc://line" // or ipc:///run/line.sock

func main() {
	demo.Run(run)
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

func run(ctx context.Context, d *demo.Demo) error {
	worker, _ := d.Bind(zmq.Pair, endpoint)
	master := d.Connect(zmq.Pair, endpoint)
	d.Go(func() error { return work(ctx, worker) })

	for _, order := range []string{"count 3 from 1", "count 2 from 100", "stop"} {
		if err := master.SendString(ctx, order); err != nil {
			return err
		}
	}
	for {
		report, err := master.RecvString(ctx)
		if err != nil {
			return err
		}
		fmt.Println(report)
		if report == "stopped" {
			return nil
		}
	}
}

// work executes one order after the other. The next orders wait in the socket.
func work(ctx context.Context, line *zmq.Socket) error {
	for {
		order, err := line.RecvString(ctx)
		if err != nil {
			return err
		}
		if order == "stop" {
			return line.SendString(ctx, "stopped")
		}
		var times, first int
		if _, err := fmt.Sscanf(order, "count %d from %d", &times, &first); err != nil {
			return fmt.Errorf("order %q: %w", order, err)
		}
		if err := line.SendString(ctx, fmt.Sprint("counting from ", first)); err != nil {
			return err
		}
		for n := range times {
			if err := line.SendString(ctx, fmt.Sprint(first+n)); err != nil {
				return err
			}
		}
	}
}
