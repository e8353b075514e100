// Command lastvaluecache shows the Last Value Cache pattern: a subscriber that joins late
// receives the last value of its topic at once, and then every new value.
//
//	go run ./lastvaluecache
//
// The cache is between publishers and subscribers. It receives values on a SUB, and
// subscriptions on an XPUB: then it sends the value that it has. A Reactor runs both
// handlers on one goroutine. The map therefore needs no lock, and no new value can
// overtake an old one from the cache.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	demo.Run(run)
	// Output:
	// late subscriber: price-07 is 7
	// late subscriber: price-07 is 8
	// another subscriber: price-07 is 8
}

func run(ctx context.Context, d *demo.Demo) error {
	publisher, source := d.Bind(zmq.Pub, demo.AnyPort, zmq.TrackSubscriptions.To(true))
	// With XPubVerbose the XPUB receives every subscription, not only the first to a topic.
	out, endpoint := d.Bind(zmq.XPub, demo.AnyPort, zmq.XPubVerbose.To(true))
	c := &cache{in: d.Connect(zmq.Sub, source, zmq.Subscribe.To("")), out: out, last: map[string][][]byte{}}
	d.Go(func() error { return c.run(ctx) })

	if err := publisher.WaitSubscribers(ctx, 1); err != nil { // the cache
		return err
	}
	publish := func(topic, value string) error { return publisher.SendMultipart(ctx, demo.Message(topic, value)) }
	show := func(title string, subscriber *zmq.Socket) error {
		message, err := subscriber.RecvMultipart(ctx)
		if err == nil {
			fmt.Printf("%s: %s is %s\n", title, message[0], message[1])
		}
		return err
	}
	subscribe := func(topic string) *zmq.Socket { return d.Connect(zmq.Sub, endpoint, zmq.Subscribe.To(topic)) }

	for i := range 100 {
		if err := publish(fmt.Sprintf("price-%02d", i), fmt.Sprint(i)); err != nil {
			return err
		}
	}
	if _, err := subscribe("price-99").RecvMultipart(ctx); err != nil { // the cache has all values
		return err
	}
	late := subscribe("price-07")
	if err := show("late subscriber", late); err != nil {
		return err
	}
	if err := publish("price-07", "8"); err != nil {
		return err
	}
	if err := show("late subscriber", late); err != nil {
		return err
	}
	return show("another subscriber", subscribe("price-07"))
}

// A cache knows the last message of each topic.
type cache struct {
	in, out *zmq.Socket
	last    map[string][][]byte
}

func (c *cache) run(ctx context.Context) error {
	r, err := poller.NewReactor()
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.Handle(c.in, poller.In, c.update); err != nil {
		return err
	}
	if err := r.Handle(c.out, poller.In, c.subscription); err != nil {
		return err
	}
	return r.Run(ctx)
}

// update stores a value and forwards it.
func (c *cache) update(poller.Event) error {
	message, err := c.in.RecvMultipart(context.Background(), zmq.DontWait)
	if errors.Is(err, zmq.ErrAgain) {
		return nil
	}
	if err != nil {
		return err
	}
	c.last[string(message[0])] = message
	return c.out.SendMultipart(context.Background(), message)
}

// subscription answers a subscription with the last message of its topic. Earlier
// subscribers of the topic receive the message again.
func (c *cache) subscription(poller.Event) error {
	subscription, err := c.out.RecvBytes(context.Background(), zmq.DontWait)
	if errors.Is(err, zmq.ErrAgain) {
		return nil
	}
	if err != nil {
		return err
	}
	// A byte 1 and the topic, or a byte 0 when a subscription ends.
	if len(subscription) > 0 && subscription[0] == 1 {
		if message := c.last[string(subscription[1:])]; message != nil {
			return c.out.SendMultipart(context.Background(), message)
		}
	}
	return nil
}
