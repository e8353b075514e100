// Command espresso shows the Espresso pattern: a proxy between publisher and subscribers
// copies everything that passes through it to a listener.
//
//	go run ./espresso
//
// The listener sees messages in one direction and subscriptions in the other: a byte 1 or
// 0, and the topic. Messages without a subscriber stay with the publisher, so they reach
// neither the proxy nor the listener.
package main

import (
	"context"
	"fmt"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	demo.Run(run)
	// Output:
	// the subscriber received ["A-1" "B-1" "A-2" "B-2"]
	// the listener saw ["subscribe A" "subscribe B" "A-1" "B-1" "A-2" "B-2" "cancel A" "cancel B"]
}

func run(ctx context.Context, d *demo.Demo) error {
	publisher, publications := d.Bind(zmq.Pub, demo.AnyPort, zmq.TrackSubscriptions.To(true))
	listener, copies := d.Bind(zmq.Pull, demo.AnyPort)
	backend, feed := d.Bind(zmq.XPub, demo.AnyPort)
	frontend, capture := d.Connect(zmq.XSub, publications), d.Connect(zmq.Push, copies)
	d.Go(func() error { return zmq.Proxy(ctx, frontend, backend, capture) })

	subscriber := d.Connect(zmq.Sub, feed)
	for _, topic := range []string{"A", "B"} {
		if err := subscriber.Subscribe(topic); err != nil {
			return err
		}
	}
	if err := publisher.WaitSubscribers(ctx, 2); err != nil {
		return err
	}
	for _, message := range []string{"A-1", "B-1", "C-1", "A-2", "B-2", "C-2"} {
		if err := publisher.SendString(ctx, message); err != nil {
			return err
		}
	}
	received, err := receive(ctx, subscriber, 4)
	if err != nil {
		return err
	}
	fmt.Printf("the subscriber received %q\n", received)
	if err := subscriber.Close(); err != nil { // cancels its subscriptions
		return err
	}
	seen, err := receive(ctx, listener, 2+4+2)
	if err != nil {
		return err
	}
	for i, message := range seen {
		switch message[0] {
		case 0:
			seen[i] = "cancel " + message[1:]
		case 1:
			seen[i] = "subscribe " + message[1:]
		}
	}
	fmt.Printf("the listener saw %q\n", seen)
	return nil
}

// receive returns the next n messages.
func receive(ctx context.Context, s *zmq.Socket, n int) ([]string, error) {
	messages := make([]string, n)
	for i := range messages {
		var err error
		if messages[i], err = s.RecvString(ctx); err != nil {
			return nil, err
		}
	}
	return messages, nil
}
