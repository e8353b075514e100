// Command poller receives from two sockets in one goroutine: what is urgent first.
//
//	go run ./poller
//
// Two goroutines, one for each socket, are simpler where the order does not matter.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// alarm: fire
	// alarm: water
	// letter: happy birthday
	// letter: an invoice
}

func run() error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	letters, err := mailbox(zctx, "inproc://letters", "happy birthday", "an invoice")
	if err != nil {
		return err
	}
	alarms, err := mailbox(zctx, "inproc://alarms", "fire", "water")
	if err != nil {
		return err
	}

	p, err := poller.New()
	if err != nil {
		return err
	}
	defer p.Close()
	for _, s := range []*zmq.Socket{letters, alarms} {
		if err := p.Add(s, poller.In); err != nil {
			return err
		}
	}

	for received := 0; received < 4; received++ {
		events, err := p.Wait(context.Background())
		if err != nil {
			return err
		}
		// The poller tells of a socket as long as there is something to receive, so
		// one message at a time will do.
		from, kind := letters, "letter"
		for _, event := range events {
			if event.Socket == alarms {
				from, kind = alarms, "alarm"
			}
		}
		text, err := from.RecvString(context.Background(), zmq.DontWait)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s\n", kind, text)
	}
	return nil
}

// mailbox returns a PULL in which there are letters already.
func mailbox(zctx *zmq.Context, endpoint string, letters ...string) (*zmq.Socket, error) {
	pull, err := zctx.NewSocket(zmq.Pull)
	if err != nil {
		return nil, err
	}
	if err := pull.Bind(endpoint); err != nil {
		return nil, err
	}
	push, err := zctx.NewSocket(zmq.Push)
	if err != nil {
		return nil, err
	}
	defer push.Close() // what it has sent stays with the receiver
	if err := push.Connect(endpoint); err != nil {
		return nil, err
	}
	for _, letter := range letters {
		if err := push.SendString(context.Background(), letter); err != nil {
			return nil, err
		}
	}
	return pull, nil
}
