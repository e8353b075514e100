// Command freelance is the Freelance pattern: clients that know several servers, with
// no broker between them.
//
//	go run ./freelance
//
// The guide has three models of it. A request.Client replaces the first two: connected
// to all servers, it asks the next one when no reply comes (failover), and leaves out
// those that it has no connection to. Where time counts more than work, ask all at
// once, take the first reply and cancel the rest (shotgun).
package main

import (
	"context"
	"fmt"
	"log"
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
	// failover: 10 of 10 requests were answered, by Grace
	// shotgun: answered by Grace
}

func run() error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	g, ctx := errgroup.WithContext(ctx)

	// Of three servers one is fine, one takes requests and never replies, and the
	// third is not there at all.
	var endpoints []string
	for name, handle := range map[string]request.Handler{
		"Grace": func(context.Context, [][]byte) [][]byte { return [][]byte{[]byte("Grace")} },
		"Stuck": func(context.Context, [][]byte) [][]byte { return nil },
		"Gone":  nil,
	} {
		if handle == nil {
			// A port that was free a moment ago could be somebody else's by now.
			endpoints = append(endpoints, "tcp://127.0.0.1:1")
			continue
		}
		router, endpoint, err := bind(zctx)
		if err != nil {
			return err
		}
		endpoints = append(endpoints, endpoint)
		server := request.Server{Handle: handle}
		g.Go(func() error {
			if err := server.Serve(ctx, router); ctx.Err() == nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		})
	}

	g.Go(func() error {
		defer stop()
		if err := failover(ctx, zctx, endpoints); err != nil {
			return fmt.Errorf("failover: %w", err)
		}
		if err := shotgun(ctx, zctx, endpoints); err != nil {
			return fmt.Errorf("shotgun: %w", err)
		}
		return nil
	})
	return g.Wait()
}

// bind returns a ROUTER at a port that was free.
func bind(zctx *zmq.Context) (*zmq.Socket, string, error) {
	router, err := zctx.NewSocket(zmq.Router, zmq.Linger.To(0))
	if err != nil {
		return nil, "", err
	}
	if err := router.Bind("tcp://127.0.0.1:*"); err != nil {
		return nil, "", err
	}
	endpoint, err := router.LastEndpoint()
	return router, endpoint, err
}

// newClient returns a client of all the servers at the endpoints.
func newClient(zctx *zmq.Context, config request.Config, endpoints ...string) (*request.Client, error) {
	// With Immediate a request goes to a server that is connected, or waits for one.
	dealer, err := zctx.NewSocket(zmq.Dealer, zmq.Immediate.To(true), zmq.Linger.To(0))
	if err != nil {
		return nil, err
	}
	for _, endpoint := range endpoints {
		if err := dealer.Connect(endpoint); err != nil {
			return nil, err
		}
	}
	return request.NewClient(dealer, config)
}

// failover asks one server at a time. The socket deals its messages out in turn, so
// that the next attempt goes to the next server.
func failover(ctx context.Context, zctx *zmq.Context, endpoints []string) error {
	client, err := newClient(zctx, request.Config{Attempts: 20, Timeout: 200 * time.Millisecond}, endpoints...)
	if err != nil {
		return err
	}
	defer client.Close()
	// All at once: each waits for no more than its own reply.
	g, ctx := errgroup.WithContext(ctx)
	by := make([]string, 10)
	for i := range by {
		g.Go(func() error {
			reply, err := client.Request(ctx, []byte("who are you?"))
			if err == nil {
				by[i] = string(reply[0])
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, name := range by {
		if name != by[0] {
			return fmt.Errorf("%s answered, and %s, who never does", by[0], name)
		}
	}
	fmt.Printf("failover: %d of %d requests were answered, by %s\n", len(by), len(by), by[0])
	return nil
}

// shotgun asks every server at the same time, each with a client of its own.
func shotgun(ctx context.Context, zctx *zmq.Context, endpoints []string) error {
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	type answer struct {
		parts [][]byte
		err   error
	}
	answers := make(chan answer, len(endpoints))
	for _, endpoint := range endpoints {
		client, err := newClient(zctx, request.Config{}, endpoint)
		if err != nil {
			return err
		}
		defer client.Close()
		go func() {
			parts, err := client.Request(ctx, []byte("who are you?"))
			answers <- answer{parts, err}
		}()
	}
	first := <-answers
	if first.err != nil {
		return first.err
	}
	fmt.Printf("shotgun: answered by %s\n", first.parts[0])
	return nil
}
