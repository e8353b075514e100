// Command routerrouter shows three ways in which ROUTERs send to each other: as two peers,
// as a hub with spokes, and as a broker between clients and workers.
//
//	go run ./routerrouter
//
// A ROUTER sends to a peer by the peer's routing id, and must know the id first. A ROUTER
// that connects chooses the id of the other side with ConnectRoutingID. A ROUTER that is
// bound learns the id from the first message.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	demo.Run(run)
	// Output:
	// alice received "hello, alice" from bob
	// bob received "hello, bob" from alice
	// carol is unknown: true
	// spoke-0 received "order 0" from hub
	// spoke-1 received "order 1" from hub
	// spoke-2 received "order 2" from hub
	// worker received ["client" "hello"] from broker
	// client received ["worker" "HELLO"] from broker
}

func run(ctx context.Context, d *demo.Demo) error {
	for _, example := range []func(context.Context, *demo.Demo) error{peers, hub, broker} {
		if err := example(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// bind returns a ROUTER with a name, at an endpoint of that name. With RouterMandatory, a
// message to an unknown peer is an error. Without it, such a message is dropped.
func bind(d *demo.Demo, name string) *zmq.Socket {
	s, _ := d.Bind(zmq.Router, "inproc://"+name, zmq.RoutingID.To([]byte(name)), zmq.RouterMandatory.To(true))
	return s
}

// connect returns a ROUTER with a name that is connected to another one.
func connect(d *demo.Demo, name, to string) *zmq.Socket {
	return d.Connect(zmq.Router, "inproc://"+to, zmq.RoutingID.To([]byte(name)), zmq.ConnectRoutingID.To([]byte(to)))
}

// peers is two ROUTERs. The one that connected must send first.
func peers(ctx context.Context, d *demo.Demo) error {
	alice, bob := bind(d, "alice"), connect(d, "bob", "alice")
	if err := bob.SendMultipart(ctx, demo.Message("alice", "hello, alice")); err != nil {
		return err
	}
	received, err := alice.RecvMultipart(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("alice received %q from %s\n", received[1], received[0])
	if err := alice.SendMultipart(ctx, demo.Message("bob", "hello, bob")); err != nil {
		return err
	}
	if received, err = bob.RecvMultipart(ctx); err != nil {
		return err
	}
	fmt.Printf("bob received %q from %s\n", received[1], received[0])
	err = alice.SendMultipart(ctx, demo.Message("carol", "hello"))
	fmt.Println("carol is unknown:", errors.Is(err, zmq.ErrHostUnreachable))
	return nil
}

// hub is a ROUTER that three others register with.
func hub(ctx context.Context, d *demo.Demo) error {
	center := bind(d, "hub")
	for i := range 3 {
		name := fmt.Sprint("spoke-", i)
		spoke := connect(d, name, "hub")
		if err := spoke.SendMultipart(ctx, demo.Message("hub", "ready")); err != nil {
			return err
		}
		ready, err := center.RecvMultipart(ctx)
		if err != nil {
			return err
		}
		if err := center.SendMultipart(ctx, [][]byte{ready[0], fmt.Append(nil, "order ", i)}); err != nil {
			return err
		}
		order, err := spoke.RecvMultipart(ctx)
		if err != nil {
			return err
		}
		fmt.Printf("%s received %q from %s\n", name, order[1], order[0])
	}
	return nil
}

// broker is a ROUTER between others. A message to the broker begins with the name of its
// receiver, which the broker replaces with the name of the sender.
func broker(ctx context.Context, d *demo.Demo) error {
	middle := bind(d, "broker")
	client, worker := connect(d, "client", "broker"), connect(d, "worker", "broker")
	forward := func(from *zmq.Socket, to, text string) error {
		if err := from.SendMultipart(ctx, demo.Message("broker", to, text)); err != nil {
			return err
		}
		m, err := middle.RecvMultipart(ctx) // sender, receiver, text
		if err != nil {
			return err
		}
		m[0], m[1] = m[1], m[0]
		return middle.SendMultipart(ctx, m)
	}
	if err := forward(worker, "worker", "ready"); err != nil { // the broker learns the name
		return err
	}
	if _, err := worker.RecvMultipart(ctx); err != nil {
		return err
	}
	if err := forward(client, "worker", "hello"); err != nil {
		return err
	}
	request, err := worker.RecvMultipart(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("worker received %q from %s\n", request[1:], request[0])
	if err := forward(worker, "client", "HELLO"); err != nil {
		return err
	}
	reply, err := client.RecvMultipart(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("client received %q from %s\n", reply[1:], reply[0])
	return nil
}
