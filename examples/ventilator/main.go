// Command ventilator is the guide's pipeline: a ventilator gives tasks to workers, who
// give results to a sink; and the sink's word that all is done ends the workers.
//
//	go run ./ventilator
//
// Each stage has sockets of its own, so that each can move to a machine of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/big"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
)

const (
	tasks   = 100
	workers = 3
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// of the numbers 0 to 99, 25 are prime
	// 3 workers were told to stop
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()

	// The two ends are bound, and the workers, who come and go, connect to them.
	ventilator, tasksAt, err := bind(zctx, zmq.Push)
	if err != nil {
		return err
	}
	sink, resultsAt, err := bind(zctx, zmq.Pull)
	if err != nil {
		return err
	}
	control, controlAt, err := bind(zctx, zmq.Pub, zmq.TrackSubscriptions.To(true))
	if err != nil {
		return err
	}

	stopped := make(chan struct{}, workers)
	g, ctx := errgroup.WithContext(ctx)
	for range workers {
		g.Go(func() error {
			defer func() { stopped <- struct{}{} }()
			return work(ctx, zctx, tasksAt, resultsAt, controlAt)
		})
	}
	g.Go(func() error { return ventilate(ctx, ventilator) })
	g.Go(func() error {
		primes, err := collect(ctx, sink)
		if err != nil {
			return err
		}
		fmt.Printf("of the numbers 0 to %d, %d are prime\n", tasks-1, primes)
		if err := control.WaitSubscribers(ctx, workers); err != nil {
			return err
		}
		return control.SendString(ctx, "stop")
	})
	if err := g.Wait(); err != nil {
		return err
	}
	fmt.Println(len(stopped), "workers were told to stop")
	return nil
}

// bind returns a socket at a port that was free, and its endpoint.
func bind(zctx *zmq.Context, t zmq.SocketType, settings ...zmq.Setting) (*zmq.Socket, string, error) {
	s, err := zctx.NewSocket(t, settings...)
	if err != nil {
		return nil, "", err
	}
	if err := s.Bind("tcp://127.0.0.1:*"); err != nil {
		return nil, "", err
	}
	endpoint, err := s.LastEndpoint()
	return s, endpoint, err
}

// ventilate gives out the tasks when all workers are there to share them.
func ventilate(ctx context.Context, push *zmq.Socket) error {
	if err := push.WaitConnected(ctx, workers); err != nil {
		return err
	}
	for n := range tasks {
		if err := push.SendString(ctx, strconv.Itoa(n)); err != nil {
			return err
		}
	}
	return nil
}

// work answers each task until it is told to stop: one goroutine, two sockets.
func work(ctx context.Context, zctx *zmq.Context, tasksAt, resultsAt, controlAt string) error {
	in, err := zctx.NewSocket(zmq.Pull)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := zctx.NewSocket(zmq.Push)
	if err != nil {
		return err
	}
	defer out.Close()
	control, err := zctx.NewSocket(zmq.Sub, zmq.Subscribe.To(""))
	if err != nil {
		return err
	}
	defer control.Close()
	if err := control.Connect(controlAt); err != nil {
		return err
	}
	if err := out.Connect(resultsAt); err != nil {
		return err
	}
	if err := in.Connect(tasksAt); err != nil {
		return err
	}
	for {
		select {
		case <-control.Ready():
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-in.Ready():
			task, err := in.RecvString(context.Background(), zmq.DontWait)
			if errors.Is(err, zmq.ErrAgain) {
				continue // there is none after all
			}
			if err != nil {
				return err
			}
			n, err := strconv.ParseInt(task, 10, 64)
			if err != nil {
				return err
			}
			prime := big.NewInt(n).ProbablyPrime(0) // exact below 1<<64
			if err := out.SendString(ctx, strconv.FormatBool(prime)); err != nil {
				return err
			}
		}
	}
}

// collect returns how many results are true.
func collect(ctx context.Context, pull *zmq.Socket) (count int, err error) {
	for range tasks {
		result, err := pull.RecvString(ctx)
		if err != nil {
			return 0, err
		}
		if result == "true" {
			count++
		}
	}
	return count, nil
}
