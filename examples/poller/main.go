// Command poller receives from two sockets in one goroutine, and takes urgent messages
// first.
//
//	go run ./poller
//
// If the order does not matter, one goroutine for each socket is simpler.
package main

import (
	"context"
	"fmt"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	demo.Run(run)
	// Output:
	// alarm: fire
	// alarm: water
	// letter: happy birthday
	// letter: an invoice
}

func run(ctx context.Context, d *demo.Demo) error {
	p, err := poller.New()
	if err != nil {
		return err
	}
	defer p.Close()
	letters, err := mailbox(ctx, d, p, "inproc://letters", "happy birthday", "an invoice")
	if err != nil {
		return err
	}
	alarms, err := mailbox(ctx, d, p, "inproc://alarms", "fire", "water")
	if err != nil {
		return err
	}
	for range 4 {
		events, err := p.Wait(ctx)
		if err != nil {
			return err
		}
		// The poller reports a socket as long as it has messages, so the loop receives one
		// message per round.
		from, kind := letters, "letter"
		for _, event := range events {
			if event.Socket == alarms {
				from, kind = alarms, "alarm"
			}
		}
		text, err := from.RecvString(ctx, zmq.DontWait)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s\n", kind, text)
	}
	return nil
}

// mailbox returns a PULL that is in the poller and has messages.
func mailbox(ctx context.Context, d *demo.Demo, p *poller.Poller, endpoint string, messages ...string) (*zmq.Socket, error) {
	pull, _ := d.Bind(zmq.Pull, endpoint)
	push := d.Connect(zmq.Push, endpoint)
	for _, message := range messages {
		if err := push.SendString(ctx, message); err != nil {
			return nil, err
		}
	}
	return pull, p.Add(pull, poller.In)
}
