// Command envelope shows publish-subscribe envelopes: the first part of a message is a
// key that subscriptions are compared with, and the content follows in further parts.
//
//	go run ./envelope
//
// A subscription is a prefix of the key. It therefore ends with a delimiter here:
// "weather" would also match "weatherproof". Content that begins with a key matches
// nothing, because only the first part counts. The second part names the publisher, so
// that a subscriber knows the source of each message.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// "weather/" receives "weather/rome" from station 1: sunny
	// "weather/" receives "weather/oslo" from station 1: snow
	// "weather" receives "weather/rome" from station 1: sunny
	// "weather" receives "weatherproof/coats" from station 1: sold out
	// "weather" receives "weather/oslo" from station 1: snow
	// "traffic/" receives "traffic/rome" from station 1: weather/rome is sunny, so cars stand still
}

// The key of the last message, which every subscriber receives.
const endKey = "end"

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()

	// With TrackSubscriptions a PUB can wait for its subscribers.
	publisher, err := zctx.NewSocket(zmq.Pub, zmq.TrackSubscriptions.To(true))
	if err != nil {
		return err
	}
	if err := publisher.Bind("tcp://127.0.0.1:*"); err != nil {
		return err
	}
	endpoint, err := publisher.LastEndpoint()
	if err != nil {
		return err
	}

	topics := []string{"weather/", "weather", "traffic/"}
	received := make([][]string, len(topics))
	g, ctx := errgroup.WithContext(ctx)
	for i, topic := range topics {
		g.Go(func() (err error) {
			received[i], err = subscribe(ctx, zctx, endpoint, topic)
			return err
		})
	}
	g.Go(func() error { return publish(ctx, publisher, 2*len(topics)) })
	if err := g.Wait(); err != nil {
		return err
	}
	for _, lines := range received {
		for _, line := range lines {
			fmt.Println(line)
		}
	}
	return nil
}

// publish waits for the subscriptions and sends the messages.
func publish(ctx context.Context, publisher *zmq.Socket, subscriptions int) error {
	if err := publisher.WaitSubscribers(ctx, subscriptions); err != nil {
		return err
	}
	for _, m := range [][2]string{
		{"weather/rome", "sunny"},
		{"weatherproof/coats", "sold out"},
		{"traffic/rome", "weather/rome is sunny, so cars stand still"},
		{"weather/oslo", "snow"},
		{endKey, ""},
	} {
		key, content := []byte(m[0]), []byte(m[1])
		if err := publisher.SendMultipart(ctx, [][]byte{key, []byte("station 1"), content}); err != nil {
			return err
		}
	}
	return nil
}

// subscribe returns a line for each message that it receives before the last one.
func subscribe(ctx context.Context, zctx *zmq.Context, endpoint, topic string) (lines []string, err error) {
	s, err := zctx.NewSocket(zmq.Sub, zmq.Subscribe.To(topic), zmq.Subscribe.To(endKey))
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := s.Connect(endpoint); err != nil {
		return nil, err
	}
	for message, err := range s.Messages(ctx) {
		if err != nil {
			return nil, err
		}
		key, source, content := message[0].Bytes(), message[1].Bytes(), message[2].Bytes()
		if string(key) == endKey {
			break
		}
		lines = append(lines, fmt.Sprintf("%q receives %q from %s: %s", topic, key, source, content))
	}
	return lines, nil
}
