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
	"errors"
	"fmt"
	"log"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
)

const (
	publications = "inproc://publications" // the publisher binds
	feed         = "inproc://feed"         // the proxy binds, for subscribers
	copies       = "inproc://copies"       // the listener binds
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// the subscriber received A-1
	// the subscriber received B-1
	// the subscriber received A-2
	// the subscriber received B-2
	// the listener saw:
	//   subscribe to A
	//   subscribe to B
	//   A-1
	//   B-1
	//   A-2
	//   B-2
	//   cancel A
	//   cancel B
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()

	// With TrackSubscriptions a PUB can wait for its subscribers.
	publisher, err := bind(zctx, zmq.Pub, publications, zmq.TrackSubscriptions.To(true))
	if err != nil {
		return err
	}
	listener, err := bind(zctx, zmq.Pull, copies)
	if err != nil {
		return err
	}
	frontend, err := connect(zctx, zmq.XSub, publications)
	if err != nil {
		return err
	}
	backend, err := bind(zctx, zmq.XPub, feed)
	if err != nil {
		return err
	}
	capture, err := connect(zctx, zmq.Push, copies)
	if err != nil {
		return err
	}

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := zmq.Proxy(ctx, frontend, backend, capture); !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	})
	g.Go(func() error { return publish(ctx, publisher) })
	g.Go(func() error {
		defer stop()
		if err := subscribe(ctx, zctx); err != nil {
			return err
		}
		return listen(ctx, listener)
	})
	return g.Wait()
}

func bind(zctx *zmq.Context, t zmq.SocketType, endpoint string, settings ...zmq.Setting) (*zmq.Socket, error) {
	s, err := zctx.NewSocket(t, settings...)
	if err != nil {
		return nil, err
	}
	return s, s.Bind(endpoint)
}

func connect(zctx *zmq.Context, t zmq.SocketType, endpoint string) (*zmq.Socket, error) {
	s, err := zctx.NewSocket(t)
	if err != nil {
		return nil, err
	}
	return s, s.Connect(endpoint)
}

// publish sends messages on three topics. C has no subscriber.
func publish(ctx context.Context, publisher *zmq.Socket) error {
	if err := publisher.WaitSubscribers(ctx, 2); err != nil {
		return err
	}
	for n := 1; n <= 2; n++ {
		for _, topic := range []string{"A", "B", "C"} {
			if err := publisher.SendString(ctx, fmt.Sprint(topic, "-", n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// subscribe receives four messages and closes its socket.
func subscribe(ctx context.Context, zctx *zmq.Context) error {
	s, err := connect(zctx, zmq.Sub, feed)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, topic := range []string{"A", "B"} {
		if err := s.Subscribe(topic); err != nil {
			return err
		}
	}
	for range 4 {
		message, err := s.RecvString(ctx)
		if err != nil {
			return err
		}
		fmt.Println("the subscriber received", message)
	}
	return nil
}

// listen prints what passed through the proxy, up to the second cancelled subscription.
func listen(ctx context.Context, listener *zmq.Socket) error {
	fmt.Println("the listener saw:")
	for cancelled := 0; cancelled < 2; {
		message, err := listener.RecvString(ctx)
		if err != nil {
			return err
		}
		switch {
		case message[0] == 1:
			message = "subscribe to " + message[1:]
		case message[0] == 0:
			message = "cancel " + message[1:]
			cancelled++
		}
		fmt.Println(" ", message)
	}
	return nil
}
