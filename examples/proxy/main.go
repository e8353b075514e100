// Command proxy puts zmq.Proxy between publishers and subscribers, and between clients
// and servers, and listens in on what goes through.
//
//	go run ./proxy
//
// Both sides connect to the proxy, so that neither needs to know where the others are,
// or how many. A proxy ends with its context and loses nothing by it.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// "sports/" got [sports/chess sports/golf]
	// "weather/" got [weather/oslo weather/rome]
	// captured ["\x01sports/" "\x01weather/" "sports/chess" "sports/golf" "weather/oslo" "weather/rome"]
	// asked through the proxy: HELLO
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	zctx, err := zmq.NewContext(zmq.SocketDefaults(zmq.TrackSubscriptions.To(true)))
	if err != nil {
		return err
	}
	defer zctx.Close()
	if err := publications(ctx, zctx); err != nil {
		return fmt.Errorf("publications: %w", err)
	}
	if err := requests(ctx, zctx); err != nil {
		return fmt.Errorf("requests: %w", err)
	}
	return nil
}

// bind returns a socket at a port that was free, and its endpoint.
func bind(zctx *zmq.Context, t zmq.SocketType) (*zmq.Socket, string, error) {
	s, err := zctx.NewSocket(t)
	if err != nil {
		return nil, "", err
	}
	if err := s.Bind("tcp://127.0.0.1:*"); err != nil {
		return nil, "", err
	}
	endpoint, err := s.LastEndpoint()
	return s, endpoint, err
}

func connect(zctx *zmq.Context, t zmq.SocketType, endpoint string, settings ...zmq.Setting) (*zmq.Socket, error) {
	s, err := zctx.NewSocket(t, settings...)
	if err != nil {
		return nil, err
	}
	return s, s.Connect(endpoint)
}

// through runs f while a proxy runs.
func through(ctx context.Context, front, back, capture *zmq.Socket, f func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := zmq.Proxy(ctx, front, back, capture); !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	})
	g.Go(func() error {
		defer stop()
		return f(ctx)
	})
	return g.Wait()
}

// publications go through an XSUB, which publishers connect to, and an XPUB, which
// subscribers connect to; subscriptions go the other way.
func publications(ctx context.Context, zctx *zmq.Context) error {
	front, in, err := bind(zctx, zmq.XSub)
	if err != nil {
		return err
	}
	back, out, err := bind(zctx, zmq.XPub)
	if err != nil {
		return err
	}
	// What goes through in either direction goes to the capture socket as well.
	listener, at, err := bind(zctx, zmq.Pull)
	if err != nil {
		return err
	}
	capture, err := connect(zctx, zmq.Push, at)
	if err != nil {
		return err
	}
	return through(ctx, front, back, capture, func(ctx context.Context) error {
		topics := []string{"sports/", "weather/"}
		subscribers := make([]*zmq.Socket, len(topics))
		for i, topic := range topics {
			if subscribers[i], err = connect(zctx, zmq.Sub, out, zmq.Subscribe.To(topic)); err != nil {
				return err
			}
		}
		for _, news := range [][]string{{"weather/oslo", "sports/chess"}, {"weather/rome", "sports/golf"}} {
			if err := publish(ctx, zctx, in, len(topics), news); err != nil {
				return err
			}
		}
		for i, sub := range subscribers {
			got, err := receive(ctx, sub, 2)
			if err != nil {
				return err
			}
			fmt.Printf("%q got %s\n", topics[i], got)
		}
		captured, err := receive(ctx, listener, 2+4) // subscriptions and news
		if err != nil {
			return err
		}
		fmt.Printf("captured %q\n", captured)
		return nil
	})
}

// publish publishes news when the subscriptions have come.
func publish(ctx context.Context, zctx *zmq.Context, endpoint string, subscriptions int, news []string) error {
	pub, err := connect(zctx, zmq.Pub, endpoint)
	if err != nil {
		return err
	}
	defer pub.Close()
	if err := pub.WaitSubscribers(ctx, subscriptions); err != nil {
		return err
	}
	for _, n := range news {
		if err := pub.SendString(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// receive returns n messages, sorted.
func receive(ctx context.Context, s *zmq.Socket, n int) ([]string, error) {
	got := make([]string, n)
	for i := range got {
		var err error
		if got[i], err = s.RecvString(ctx); err != nil {
			return nil, err
		}
	}
	slices.Sort(got)
	return got, nil
}

// requests go through a ROUTER, which clients connect to, and a DEALER, which servers
// connect to and which deals the requests out in turn.
func requests(ctx context.Context, zctx *zmq.Context) error {
	front, in, err := bind(zctx, zmq.Router)
	if err != nil {
		return err
	}
	back, out, err := bind(zctx, zmq.Dealer)
	if err != nil {
		return err
	}
	return through(ctx, front, back, nil, func(ctx context.Context) error {
		worker, err := connect(zctx, zmq.Dealer, out)
		if err != nil {
			return err
		}
		server := request.Server{Handle: func(_ context.Context, question [][]byte) [][]byte {
			return [][]byte{[]byte(strings.ToUpper(string(question[0])))}
		}}
		serving, stop := context.WithCancel(ctx)
		defer stop()
		served := make(chan error, 1)
		go func() { served <- server.Serve(serving, worker) }()

		dealer, err := connect(zctx, zmq.Dealer, in)
		if err != nil {
			return err
		}
		client, err := request.NewClient(dealer, request.Config{})
		if err != nil {
			return err
		}
		defer client.Close()
		reply, err := client.Request(ctx, []byte("hello"))
		if err != nil {
			return err
		}
		fmt.Printf("asked through the proxy: %s\n", reply[0])
		stop()
		if err := <-served; !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	})
}
