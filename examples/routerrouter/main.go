// Command routerrouter shows three ways in which ROUTERs talk to each other: as two
// peers, as a hub with spokes, and as a broker between clients and workers.
//
//	go run ./routerrouter
//
// A ROUTER sends to a peer by its routing id, so it has to know the id first: one that
// connects gives the other side a name of its choice with ConnectRoutingID; one that
// is bound learns it from the first message.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	for _, example := range []struct {
		name string
		run  func(context.Context, *zmq.Context) error
	}{
		{"two peers", peers},
		{"hub and spokes", hub},
		{"broker", broker},
	} {
		fmt.Println(example.name)
		if err := inContext(example.run); err != nil {
			log.Fatalf("%s: %v", example.name, err)
		}
	}
	// Output:
	// two peers
	//   bob has "hello, bob" from alice
	//   alice has "hello, alice" from bob
	//   nobody is called carol: true
	// hub and spokes
	//   the hub knows [spoke-0 spoke-1 spoke-2]
	//   spoke-0 is told "turn left"
	//   spoke-1 is told "turn right"
	//   spoke-2 is told "turn left"
	// broker
	//   the client has "HELLO" from the worker
}

// inContext runs an example with a zmq.Context of its own.
func inContext(example func(context.Context, *zmq.Context) error) error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	return example(context.Background(), zctx)
}

// router returns a ROUTER that is called name and fails, rather than dropping
// messages in silence, when it is to send to somebody whom it does not know.
func router(zctx *zmq.Context, name string) (*zmq.Socket, error) {
	return zctx.NewSocket(zmq.Router, zmq.RoutingID.To([]byte(name)), zmq.RouterMandatory.To(true))
}

// connect connects s to an endpoint, where it will call the other side name.
func connect(s *zmq.Socket, endpoint, name string) error {
	if err := s.Set(zmq.ConnectRoutingID.To([]byte(name))); err != nil {
		return err
	}
	return s.Connect(endpoint)
}

// send sends a message of parts to the peer that is called to.
func send(ctx context.Context, s *zmq.Socket, to string, parts ...string) error {
	message := [][]byte{[]byte(to)}
	for _, part := range parts {
		message = append(message, []byte(part))
	}
	return s.SendMultipart(ctx, message)
}

// recv returns the next message: who sent it, and its parts.
func recv(ctx context.Context, s *zmq.Socket) (from string, parts []string, err error) {
	message, err := s.RecvMultipart(ctx)
	if err != nil {
		return "", nil, err
	}
	for _, part := range message[1:] {
		parts = append(parts, string(part))
	}
	return string(message[0]), parts, nil
}

// peers is two ROUTERs of equal standing.
func peers(ctx context.Context, zctx *zmq.Context) error {
	alice, err := router(zctx, "alice")
	if err != nil {
		return err
	}
	if err := alice.Bind("inproc://alice"); err != nil {
		return err
	}
	bob, err := router(zctx, "bob")
	if err != nil {
		return err
	}
	if err := connect(bob, "inproc://alice", "alice"); err != nil {
		return err
	}

	// Bob speaks first: that is how alice learns his name.
	if err := send(ctx, bob, "alice", "hello, alice"); err != nil {
		return err
	}
	from, heard, err := recv(ctx, alice)
	if err != nil {
		return err
	}
	if err := send(ctx, alice, from, "hello, "+from); err != nil {
		return err
	}
	sender, answer, err := recv(ctx, bob)
	if err != nil {
		return err
	}
	fmt.Printf("  bob has %q from %s\n", answer[0], sender)
	fmt.Printf("  alice has %q from %s\n", heard[0], from)

	err = send(ctx, alice, "carol", "are you there?")
	fmt.Println("  nobody is called carol:", errors.Is(err, zmq.ErrHostUnreachable))
	return nil
}

// hub is one ROUTER that three others are connected to. They report first; then it
// sends to each by its name.
func hub(ctx context.Context, zctx *zmq.Context) error {
	center, err := router(zctx, "hub")
	if err != nil {
		return err
	}
	if err := center.Bind("tcp://127.0.0.1:*"); err != nil {
		return err
	}
	endpoint, err := center.LastEndpoint()
	if err != nil {
		return err
	}

	orders := make([]string, 3)
	g, ctx := errgroup.WithContext(ctx)
	for i := range orders {
		g.Go(func() error {
			name := fmt.Sprintf("spoke-%d", i)
			spoke, err := router(zctx, name)
			if err != nil {
				return err
			}
			defer spoke.Close()
			if err := connect(spoke, endpoint, "hub"); err != nil {
				return err
			}
			if err := send(ctx, spoke, "hub", "here I am"); err != nil {
				return err
			}
			_, order, err := recv(ctx, spoke)
			if err != nil {
				return err
			}
			orders[i] = fmt.Sprintf("  %s is told %q", name, order[0])
			return nil
		})
	}
	g.Go(func() error {
		var spokes []string
		for range orders {
			name, _, err := recv(ctx, center)
			if err != nil {
				return err
			}
			spokes = append(spokes, name)
		}
		slices.Sort(spokes)
		fmt.Println("  the hub knows", spokes)
		for i, name := range spokes {
			if err := send(ctx, center, name, []string{"turn left", "turn right"}[i%2]); err != nil {
				return err
			}
		}
		return nil
	})
	if err := g.Wait(); err != nil {
		return err
	}
	for _, order := range orders {
		fmt.Println(order)
	}
	return nil
}

// broker is a ROUTER in the middle: what anybody sends names who is to have it.
func broker(ctx context.Context, zctx *zmq.Context) error {
	middle, err := router(zctx, "broker")
	if err != nil {
		return err
	}
	if err := middle.Bind("inproc://broker"); err != nil {
		return err
	}
	names := []string{"client", "worker"}
	sockets := make([]*zmq.Socket, len(names))
	for i, name := range names {
		if sockets[i], err = router(zctx, name); err != nil {
			return err
		}
		if err := connect(sockets[i], "inproc://broker", "broker"); err != nil {
			return err
		}
	}
	client, worker := sockets[0], sockets[1]

	// The worker signs on: until then the broker could send it nothing.
	if err := send(ctx, worker, "broker", "ready"); err != nil {
		return err
	}
	if _, _, err := recv(ctx, middle); err != nil {
		return err
	}

	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		for range 2 { // a request and a reply
			from, parts, err := recv(ctx, middle)
			if err != nil {
				return err
			}
			if err := send(ctx, middle, parts[0], from, parts[1]); err != nil {
				return err
			}
		}
		return nil
	})
	g.Go(func() error {
		_, request, err := recv(ctx, worker)
		if err != nil {
			return err
		}
		return send(ctx, worker, "broker", request[0], "HELLO")
	})
	g.Go(func() error {
		if err := send(ctx, client, "broker", "worker", "hello"); err != nil {
			return err
		}
		_, reply, err := recv(ctx, client)
		if err != nil {
			return err
		}
		fmt.Printf("  the client has %q from the %s\n", reply[1], reply[0])
		return nil
	})
	return g.Wait()
}
