// Command pushpull shows the pipeline of the guide: a ventilator sends tasks to workers,
// the workers send results to a sink, and a message stops the workers when all is done.
//
//	go run ./pushpull
//
// A PUSH distributes its messages evenly among the connected workers. Each stage has
// sockets of its own, so that it can run on a machine of its own. Several goroutines may
// also share one PULL: then each message goes to a goroutine that is free.
package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

const (
	tasks   = 120
	workers = 3
)

func main() {
	demo.Run(run)
	// Output:
	// of the numbers 0 to 119, 30 are prime
	// the 3 workers had 40, 40 and 40 tasks
}

func run(ctx context.Context, d *demo.Demo) error {
	// The ends are bound, and the workers connect to them.
	ventilator, tasksAt := d.Bind(zmq.Push, demo.AnyPort)
	sink, resultsAt := d.Bind(zmq.Pull, demo.AnyPort)
	control, controlAt := d.Bind(zmq.Pub, demo.AnyPort, zmq.TrackSubscriptions.To(true))
	done := make(chan int, workers)
	for range workers {
		in, out := d.Connect(zmq.Pull, tasksAt), d.Connect(zmq.Push, resultsAt)
		stop := d.Connect(zmq.Sub, controlAt, zmq.Subscribe.To(""))
		d.Go(func() error {
			n, err := work(ctx, in, out, stop)
			done <- n
			return err
		})
	}

	// The first worker to connect would otherwise get all tasks.
	if err := ventilator.WaitConnected(ctx, workers); err != nil {
		return err
	}
	for n := range tasks {
		if err := ventilator.SendString(ctx, strconv.Itoa(n)); err != nil {
			return err
		}
	}
	primes := 0
	for range tasks {
		result, err := sink.RecvString(ctx)
		if err != nil {
			return err
		}
		if result == "true" {
			primes++
		}
	}
	fmt.Printf("of the numbers 0 to %d, %d are prime\n", tasks-1, primes)
	if err := control.WaitSubscribers(ctx, workers); err != nil {
		return err
	}
	if err := control.SendString(ctx, "stop"); err != nil {
		return err
	}
	fmt.Printf("the %d workers had %d, %d and %d tasks\n", workers, <-done, <-done, <-done)
	return nil
}

// work does tasks until a message arrives on stop. It returns the number of tasks.
func work(ctx context.Context, in, out, stop *zmq.Socket) (done int, err error) {
	for {
		select {
		case <-stop.Ready():
			return done, nil
		case <-ctx.Done():
			return done, ctx.Err()
		case <-in.Ready():
			task, err := in.RecvString(ctx, zmq.DontWait)
			if errors.Is(err, zmq.ErrAgain) {
				continue // Ready may report a socket that has no message
			}
			if err != nil {
				return done, err
			}
			n, err := strconv.ParseInt(task, 10, 64)
			if err != nil {
				return done, err
			}
			prime := big.NewInt(n).ProbablyPrime(0) // exact below 1<<64
			if err := out.SendString(ctx, strconv.FormatBool(prime)); err != nil {
				return done, err
			}
			done++
		}
	}
}
