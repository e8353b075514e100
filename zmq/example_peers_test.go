package zmq_test

import (
	"context"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

// A list of who is present.
func ExampleSocket_Peers() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	router := must(zctx.NewSocket(zmq.Router, zmq.TrackPeers.To(true)))
	check(router.Bind("tcp://127.0.0.1:*"))
	for _, name := range []string{"alice", "bob"} {
		client := must(zctx.NewSocket(zmq.Dealer, zmq.RoutingID.To([]byte(name))))
		check(client.Connect(must(router.LastEndpoint())))
		check(client.SendString(ctx, "here I am"))
		must(router.RecvMultipart(ctx))
	}
	for _, p := range router.Peers() {
		fmt.Printf("%s from %s\n", p.RoutingID, p.Address.Addr())
	}
	// Output:
	// alice from 127.0.0.1
	// bob from 127.0.0.1
}

// A ROUTER is told which of its clients has left.
func ExampleMonitor_peers() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	router := must(zctx.NewSocket(zmq.Router, zmq.TrackPeers.To(true)))
	monitor := must(router.Monitor(zmq.EventPeerLeft))
	defer monitor.Close()
	check(router.Bind("tcp://127.0.0.1:*"))

	client := must(zctx.NewSocket(zmq.Dealer, zmq.RoutingID.To([]byte("alice"))))
	check(client.Connect(must(router.LastEndpoint())))
	check(client.SendString(ctx, "here I am"))
	must(router.RecvMultipart(ctx))
	check(client.Close())

	event := must(monitor.Next(ctx))
	fmt.Printf("%s has left\n", event.Peer.RoutingID)
	// Output: alice has left
}
