// Command paranoidpirate shows the Paranoid Pirate pattern: queue and workers send each
// other heartbeats, so that each notices when the other has crashed, hangs or restarts.
//
//	go run ./paranoidpirate
//
// The queue is in queue.go. If only broken connections matter, set the options
// HeartbeatInterval and HeartbeatTimeout: then libzmq sends the heartbeats. They do not
// notice a program that hangs while its connection is alive, and do not know which workers
// are free.
package main

import (
	"context"
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

const (
	interval = 50 * time.Millisecond // between heartbeats
	silence  = 5 * interval          // the longest time without a message

	// Messages that are no requests or replies.
	ready, heartbeat = "\x01", "\x02"
)

func main() {
	demo.Run(run)
	// Output:
	// a worker crashed with a request: 10 of 10 requests were answered
	// the queue was replaced: 10 of 10 requests were answered
}

func run(ctx context.Context, d *demo.Demo) error {
	first, crash := context.WithCancel(ctx)
	defer crash()
	crashed := make(chan error, 1)
	go func() { crashed <- queue(first, d) }()
	// A worker that crashes with its first request, and workers that do not crash.
	crashing := d.Connect(zmq.Dealer, d.IPC("workers"))
	if err := crashing.SendString(ctx, ready); err != nil {
		return err
	}
	d.Go(func() error {
		if _, err := crashing.RecvMultipart(ctx); err != nil {
			return err
		}
		for range 3 {
			worker := d.Connect(zmq.Dealer, d.IPC("workers"))
			d.Go(func() error { return work(ctx, worker) })
		}
		return crashing.Close()
	})

	config := request.Config{Attempts: 40, Timeout: 400 * time.Millisecond}
	client, err := request.NewClient(d.Connect(zmq.Dealer, d.IPC("clients")), config)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := ask(ctx, client, "a worker crashed with a request"); err != nil {
		return err
	}
	crash()
	if err := <-crashed; err != nil {
		return err
	}
	d.Go(func() error { return queue(ctx, d) })
	return ask(ctx, client, "the queue was replaced")
}

// ask sends ten requests.
func ask(ctx context.Context, client *request.Client, title string) error {
	for i := range 10 {
		question := fmt.Sprint("question ", i)
		reply, err := client.Request(ctx, []byte(question))
		if err != nil {
			return err
		}
		if string(reply[0]) != question+"!" {
			return fmt.Errorf("%s: wrong reply %q", question, reply[0])
		}
	}
	fmt.Println(title + ": 10 of 10 requests were answered")
	return nil
}

// work answers requests until ctx is done. When the queue is silent, the worker registers
// again: the queue may be a new one.
func work(ctx context.Context, s *zmq.Socket) (err error) {
	messages, ticker, register := s.RecvChan(ctx), time.NewTicker(interval), time.NewTimer(0)
	for err == nil {
		select {
		case <-ticker.C:
			err = s.SendString(ctx, heartbeat)
		case <-register.C:
			register.Reset(silence)
			err = s.SendString(ctx, ready)
		case message := <-messages.C:
			register.Reset(silence)
			if len(message) > 1 { // no heartbeat: address of the client, request
				last := len(message) - 1
				message[last] = append(message[last], '!')
				err = s.SendMultipart(ctx, message)
			}
		}
	}
	return err
}
