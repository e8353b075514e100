// Command lastvaluecache is the Last Value Cache pattern: a subscriber that joins late
// gets the last value of its topic at once, and every later one as it is published.
//
//	go run ./lastvaluecache
//
// The cache stands between publishers and subscribers. Its SUB faces the publishers;
// its XPUB faces the subscribers, and receives their subscriptions: that is when it
// sends what it knows. A Reactor runs both handlers on one goroutine, so that the map
// needs no lock, and no update can overtake the value that is sent from the cache.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// published 1000 values
	// late subscriber: price-007 was 7
	// late subscriber: price-007 is 8
	// another one: price-007 is 8
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()

	publisher, err := zctx.NewSocket(zmq.Pub, zmq.TrackSubscriptions.To(true), zmq.SendHWM.To(0))
	if err != nil {
		return err
	}
	if err := publisher.Bind("tcp://127.0.0.1:*"); err != nil {
		return err
	}
	source, err := publisher.LastEndpoint()
	if err != nil {
		return err
	}
	cache, endpoint, err := newCache(zctx, source)
	if err != nil {
		return err
	}
	defer cache.reactor.Close()

	g, ctx := errgroup.WithContext(ctx)
	running, stop := context.WithCancel(ctx)
	defer stop()
	g.Go(func() error {
		if err := cache.reactor.Run(running); running.Err() == nil {
			return err
		}
		return nil
	})
	g.Go(func() error {
		defer stop()
		return use(ctx, zctx, publisher, endpoint)
	})
	return g.Wait()
}

// use publishes, and subscribes when everything has been published.
func use(ctx context.Context, zctx *zmq.Context, publisher *zmq.Socket, endpoint string) error {
	if err := publisher.WaitSubscribers(ctx, 1); err != nil { // the cache
		return err
	}
	const values = 1000
	for i := range values {
		if err := publish(ctx, publisher, fmt.Sprintf("price-%03d", i), fmt.Sprint(i)); err != nil {
			return err
		}
	}
	fmt.Println("published", values, "values")
	// What comes with the last of them says that the cache has all of them.
	first, err := subscribe(zctx, endpoint, "price-999")
	if err != nil {
		return err
	}
	if _, err := first.RecvMultipart(ctx); err != nil {
		return err
	}

	late, err := subscribe(zctx, endpoint, "price-007")
	if err != nil {
		return err
	}
	value, err := late.RecvMultipart(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("late subscriber: %s was %s\n", value[0], value[1])
	if err := publish(ctx, publisher, "price-007", "8"); err != nil {
		return err
	}
	if value, err = late.RecvMultipart(ctx); err != nil {
		return err
	}
	fmt.Printf("late subscriber: %s is %s\n", value[0], value[1])

	// To the cache, a second subscription to a topic is as good as the first.
	another, err := subscribe(zctx, endpoint, "price-007")
	if err != nil {
		return err
	}
	if value, err = another.RecvMultipart(ctx); err != nil {
		return err
	}
	fmt.Printf("another one: %s is %s\n", value[0], value[1])
	return nil
}

func publish(ctx context.Context, pub *zmq.Socket, topic, value string) error {
	return pub.SendMultipart(ctx, [][]byte{[]byte(topic), []byte(value)})
}

func subscribe(zctx *zmq.Context, endpoint, topic string) (*zmq.Socket, error) {
	sub, err := zctx.NewSocket(zmq.Sub, zmq.Subscribe.To(topic))
	if err != nil {
		return nil, err
	}
	return sub, sub.Connect(endpoint)
}

// A cache knows the last message of each topic. The goroutine that runs the reactor is
// the only one that uses it.
type cache struct {
	publishers, subscribers *zmq.Socket
	reactor                 *poller.Reactor
	last                    map[string][][]byte
}

// newCache returns a cache for a publisher, and the endpoint for its subscribers.
func newCache(zctx *zmq.Context, publisher string) (*cache, string, error) {
	// There may be more topics than a queue of the usual length holds.
	in, err := zctx.NewSocket(zmq.Sub, zmq.Subscribe.To(""), zmq.RecvHWM.To(0))
	if err != nil {
		return nil, "", err
	}
	if err := in.Connect(publisher); err != nil {
		return nil, "", err
	}
	// XPubVerbose: every subscription is received, not only the first to a topic.
	out, err := zctx.NewSocket(zmq.XPub, zmq.XPubVerbose.To(true))
	if err != nil {
		return nil, "", err
	}
	if err := out.Bind("tcp://127.0.0.1:*"); err != nil {
		return nil, "", err
	}
	endpoint, err := out.LastEndpoint()
	if err != nil {
		return nil, "", err
	}
	r, err := poller.NewReactor()
	if err != nil {
		return nil, "", err
	}
	k := &cache{publishers: in, subscribers: out, reactor: r, last: map[string][][]byte{}}
	if err := r.Handle(in, poller.In, k.update); err != nil {
		return nil, "", err
	}
	return k, endpoint, r.Handle(out, poller.In, k.subscription)
}

// update remembers what was published and passes it on, as much as there is.
func (k *cache) update(poller.Event) error {
	for {
		message, err := k.publishers.RecvMultipart(context.Background(), zmq.DontWait)
		if errors.Is(err, zmq.ErrAgain) {
			return nil
		}
		if err != nil {
			return err
		}
		k.last[string(message[0])] = message
		if err := k.subscribers.SendMultipart(context.Background(), message); err != nil {
			return err
		}
	}
}

// subscription answers a subscription with the last message of its topic. Who has
// subscribed to the same topic before gets it once more.
func (k *cache) subscription(poller.Event) error {
	subscription, err := k.subscribers.RecvBytes(context.Background(), zmq.DontWait)
	if errors.Is(err, zmq.ErrAgain) {
		return nil
	}
	if err != nil {
		return err
	}
	// 1 and the topic, or 0 and the topic where one has ended.
	if len(subscription) > 0 && subscription[0] == 1 {
		if message := k.last[string(subscription[1:])]; message != nil {
			return k.subscribers.SendMultipart(context.Background(), message)
		}
	}
	return nil
}
