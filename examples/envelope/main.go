// Command envelope shows publish-subscribe envelopes: the first part of a message is a
// key that subscriptions are compared with, and the content follows in further parts.
//
//	go run ./envelope
//
// A subscription is a prefix of the key. It ends with a delimiter here, because "weather"
// would also match "weatherproof". Content that begins with a key matches nothing. The
// second part names the publisher, so that a subscriber knows the source of each message.
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
	// "weather/" receives "weather/rome" from station 1: sunny
	// "weather/" receives "weather/oslo" from station 1: snow
	// "weather" receives "weather/rome" from station 1: sunny
	// "weather" receives "weatherproof/coats" from station 1: sold out
	// "weather" receives "weather/oslo" from station 1: snow
	// "traffic/" receives "traffic/rome" from station 1: weather/rome is sunny, so everyone drives
}

// endKey is the key of the last message, which every subscriber receives.
const endKey = "end"

func run(ctx context.Context, d *demo.Demo) error {
	publisher, endpoint := d.Bind(zmq.Pub, demo.AnyPort, zmq.TrackSubscriptions.To(true))
	topics := []string{"weather/", "weather", "traffic/"}
	subscribers := make([]*zmq.Socket, len(topics))
	for i, topic := range topics {
		subscribers[i] = d.Connect(zmq.Sub, endpoint, zmq.Subscribe.To(topic), zmq.Subscribe.To(endKey))
	}
	if err := publisher.WaitSubscribers(ctx, 2*len(topics)); err != nil {
		return err
	}
	for _, m := range [][2]string{
		{"weather/rome", "sunny"},
		{"weatherproof/coats", "sold out"},
		{"traffic/rome", "weather/rome is sunny, so everyone drives"},
		{"weather/oslo", "snow"},
		{endKey, ""},
	} {
		key, content := m[0], m[1]
		if err := publisher.SendMultipart(ctx, demo.Message(key, "station 1", content)); err != nil {
			return err
		}
	}
	for i, s := range subscribers {
		if err := show(ctx, topics[i], s); err != nil {
			return err
		}
	}
	return nil
}

// show prints the messages that a subscriber receives before the last one.
func show(ctx context.Context, topic string, s *zmq.Socket) error {
	for message, err := range s.Messages(ctx) {
		if err != nil {
			return err
		}
		key, source, content := message[0].Bytes(), message[1].Bytes(), message[2].Bytes()
		if string(key) == endKey {
			break
		}
		fmt.Printf("%q receives %q from %s: %s\n", topic, key, source, content)
	}
	return nil
}
