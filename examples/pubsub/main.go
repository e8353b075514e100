// Command pubsub publishes to subscribers that each chose their topics.
//
//	go run ./pubsub
//
// What is published before a subscription has arrived is lost to that subscriber.
// WaitSubscribers is for publishers that do not want that; nobody needs to sleep.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
)

// last is the topic of the last message, to which all subscribe.
const last = "end"

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// "weather/" got weather/oslo: 17 °C, weather/rome: 31 °C, weather/oslo: 16 °C
	// "sports/" got sports/chess: draw
	// "weather/oslo" got weather/oslo: 17 °C, weather/oslo: 16 °C
	// "" got weather/oslo: 17 °C, sports/chess: draw, weather/rome: 31 °C, weather/oslo: 16 °C
}

func run() error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	pub, err := zctx.NewSocket(zmq.Pub, zmq.TrackSubscriptions.To(true))
	if err != nil {
		return err
	}
	if err := pub.Bind("tcp://127.0.0.1:*"); err != nil {
		return err
	}
	endpoint, err := pub.LastEndpoint()
	if err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	topics := []string{"weather/", "sports/", "weather/oslo", ""}
	got := make([][]string, len(topics))
	g, ctx := errgroup.WithContext(ctx)
	for i, topic := range topics {
		g.Go(func() (err error) {
			got[i], err = subscribe(ctx, zctx, endpoint, topic)
			return err
		})
	}
	g.Go(func() error { return publish(ctx, pub, 2*len(topics)) })
	if err := g.Wait(); err != nil {
		return err
	}
	for i, topic := range topics {
		fmt.Printf("%q got %s\n", topic, strings.Join(got[i], ", "))
	}
	return nil
}

// publish waits until so many subscriptions are there, and publishes the news.
func publish(ctx context.Context, pub *zmq.Socket, subscriptions int) error {
	if err := pub.WaitSubscribers(ctx, subscriptions); err != nil {
		return err
	}
	for _, news := range [][2]string{
		{"weather/oslo", "17 °C"},
		{"sports/chess", "draw"},
		{"weather/rome", "31 °C"},
		{"weather/oslo", "16 °C"},
		{last, ""},
	} {
		// The topic is a part of its own: what follows it cannot be taken for a topic.
		if err := pub.SendMultipart(ctx, [][]byte{[]byte(news[0]), []byte(news[1])}); err != nil {
			return err
		}
	}
	return nil
}

// subscribe returns what comes with topics that begin with the one given.
func subscribe(ctx context.Context, zctx *zmq.Context, endpoint, topic string) (got []string, err error) {
	// As settings: both subscriptions are there before the socket connects.
	sub, err := zctx.NewSocket(zmq.Sub, zmq.Subscribe.To(topic), zmq.Subscribe.To(last))
	if err != nil {
		return nil, err
	}
	defer sub.Close()
	if err := sub.Connect(endpoint); err != nil {
		return nil, err
	}
	for message, err := range sub.Messages(ctx) {
		if err != nil {
			return nil, err
		}
		if string(message[0].Bytes()) == last {
			break
		}
		got = append(got, fmt.Sprintf("%s: %s", message[0].Bytes(), message[1].Bytes()))
	}
	return got, nil
}
