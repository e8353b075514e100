// Command routerdealer is a broker: clients ask a ROUTER, workers answer behind a
// DEALER, and a poller moves what either receives to the other.
//
//	go run ./routerdealer
//
// Clients and workers may come and go; neither knows how many there are of the
// others. Command proxy does the same with zmq.Proxy, in one call. The loop here is
// what one writes to look at the messages on their way.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

const (
	frontEndpoint = "inproc://front"
	backEndpoint  = "inproc://back"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// client 0: 0 squared is 0
	// client 0: 1 squared is 1
	// client 1: 10 squared is 100
	// client 1: 11 squared is 121
	// client 2: 20 squared is 400
	// client 2: 21 squared is 441
	// 6 requests and 6 replies went through the broker
}

func run() error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	front, err := zctx.NewSocket(zmq.Router)
	if err != nil {
		return err
	}
	if err := front.Bind(frontEndpoint); err != nil {
		return err
	}
	back, err := zctx.NewSocket(zmq.Dealer)
	if err != nil {
		return err
	}
	if err := back.Bind(backEndpoint); err != nil {
		return err
	}

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	servers, serving := errgroup.WithContext(ctx)
	var requests, replies int
	servers.Go(func() (err error) {
		requests, replies, err = broker(serving, front, back)
		return err
	})
	for range 2 {
		servers.Go(func() error { return work(serving, zctx) })
	}

	var answers []string
	var mu sync.Mutex
	clients, asking := errgroup.WithContext(serving)
	for i := range 3 {
		clients.Go(func() error {
			return ask(asking, zctx, []int{10 * i, 10*i + 1}, func(answer string) {
				mu.Lock()
				defer mu.Unlock()
				answers = append(answers, fmt.Sprintf("client %d: %s", i, answer))
			})
		})
	}
	failed := clients.Wait()
	stop()
	if err := errors.Join(failed, servers.Wait()); err != nil {
		return err
	}
	slices.Sort(answers)
	for _, answer := range answers {
		fmt.Println(answer)
	}
	fmt.Println(requests, "requests and", replies, "replies went through the broker")
	return nil
}

// broker moves messages until ctx ends. The ROUTER puts the client's id before a
// request, the worker's REP returns it with the reply, and the ROUTER takes it off
// again to know where the reply goes.
func broker(ctx context.Context, front, back *zmq.Socket) (requests, replies int, err error) {
	p, err := poller.New()
	if err != nil {
		return 0, 0, err
	}
	defer p.Close()
	if err := p.Add(front, poller.In); err != nil {
		return 0, 0, err
	}
	if err := p.Add(back, poller.In); err != nil {
		return 0, 0, err
	}
	for {
		events, err := p.Wait(ctx)
		if ctx.Err() != nil {
			return requests, replies, nil
		}
		if err != nil {
			return requests, replies, err
		}
		for _, event := range events {
			to, count := back, &requests
			if event.Socket == back {
				to, count = front, &replies
			}
			message, err := event.Socket.RecvMultipart(context.Background(), zmq.DontWait)
			if err != nil {
				return requests, replies, err
			}
			if err := to.SendMultipart(ctx, message); err != nil {
				return requests, replies, err
			}
			*count++
		}
	}
}

// work squares numbers until ctx ends.
func work(ctx context.Context, zctx *zmq.Context) error {
	worker, err := zctx.NewSocket(zmq.Rep)
	if err != nil {
		return err
	}
	defer worker.Close()
	if err := worker.Connect(backEndpoint); err != nil {
		return err
	}
	for {
		question, err := worker.RecvString(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		var n int
		answer := fmt.Sprintf("%q is no number", question)
		if _, err := fmt.Sscan(question, &n); err == nil {
			answer = fmt.Sprintf("%d squared is %d", n, n*n)
		}
		if err := worker.SendString(context.Background(), answer); err != nil {
			return err
		}
	}
}

// ask asks for the square of each number, one after the other.
func ask(ctx context.Context, zctx *zmq.Context, numbers []int, tell func(answer string)) error {
	client, err := zctx.NewSocket(zmq.Req)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.Connect(frontEndpoint); err != nil {
		return err
	}
	for _, n := range numbers {
		if err := client.SendString(ctx, fmt.Sprint(n)); err != nil {
			return err
		}
		answer, err := client.RecvString(ctx)
		if err != nil {
			return err
		}
		tell(answer)
	}
	return nil
}
