// Command pubsub shows publish-subscribe: each subscriber receives the messages that begin
// with its topics.
//
//	go run ./pubsub
//
// A subscriber misses messages that are published before its subscription arrives. With
// TrackSubscriptions, a PUB can wait for its subscribers.
package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	demo.Run(run)
	// Output:
	// "weather" received weather in Oslo: snow, weather in Rome: sunny
	// "weather in Oslo" received weather in Oslo: snow
	// "chess" received chess: draw
	// "" received weather in Oslo: snow, chess: draw, weather in Rome: sunny
}

// last is the message after which subscribers stop.
const last = "end"

func run(ctx context.Context, d *demo.Demo) error {
	pub, endpoint := d.Bind(zmq.Pub, demo.AnyPort, zmq.TrackSubscriptions.To(true))
	topics := []string{"weather", "weather in Oslo", "chess", ""}
	subs := make([]*zmq.Socket, len(topics))
	for i, topic := range topics {
		subs[i] = d.Connect(zmq.Sub, endpoint, zmq.Subscribe.To(topic), zmq.Subscribe.To(last))
	}
	if err := pub.WaitSubscribers(ctx, 2*len(topics)); err != nil {
		return err
	}
	for _, message := range []string{"weather in Oslo: snow", "chess: draw", "weather in Rome: sunny", last} {
		if err := pub.SendString(ctx, message); err != nil {
			return err
		}
	}
	for i, sub := range subs {
		received, err := receive(ctx, sub)
		if err != nil {
			return err
		}
		fmt.Printf("%q received %s\n", topics[i], strings.Join(received, ", "))
	}
	return nil
}

// receive returns the messages before the last one.
func receive(ctx context.Context, sub *zmq.Socket) (received []string, err error) {
	for {
		message, err := sub.RecvString(ctx)
		if err != nil || message == last {
			return received, err
		}
		received = append(received, message)
	}
}
