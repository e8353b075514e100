package zmq_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-zmq/go-zmq/zmq"
)

// With a wildcard for the port, the system chooses a free port.
func ExampleSocket_LastEndpoint() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	server, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint, err := server.LastEndpoint()
	check(err)
	port := strings.TrimPrefix(endpoint, "tcp://127.0.0.1:")
	fmt.Println(port != "*")

	check(server.Bind("inproc://beside")) // a socket can have several endpoints
	endpoint, err = server.LastEndpoint()
	check(err)
	fmt.Println(endpoint)
	// Output:
	// true
	// inproc://beside
}

// A PUSH is connected to two sockets and disconnects from one of them.
func ExampleSocket_Disconnect() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	var pulls []*zmq.Socket
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	for _, endpoint := range []string{"inproc://east", "inproc://west"} {
		pull, err := zctx.NewSocket(zmq.Pull)
		check(err)
		check(pull.Bind(endpoint))
		check(push.Connect(endpoint))
		pulls = append(pulls, pull)
	}
	for _, letter := range []string{"one", "two"} { // distributed in turn
		check(push.SendString(ctx, letter))
	}
	check(push.Disconnect("inproc://east"))
	for _, letter := range []string{"three", "four"} {
		check(push.SendString(ctx, letter))
	}

	for i, letters := range []int{1, 3} {
		for range letters {
			letter, err := pulls[i].RecvString(ctx)
			check(err)
			fmt.Println([]string{"east:", "west:"}[i], letter)
		}
	}
	// Output:
	// east: one
	// west: two
	// west: three
	// west: four
}

// After Unbind another socket can bind the name.
func ExampleSocket_Unbind() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	first, err := zctx.NewSocket(zmq.Rep)
	check(err)
	second, err := zctx.NewSocket(zmq.Rep)
	check(err)

	check(first.Bind("inproc://service"))
	fmt.Println(second.Bind("inproc://service"))
	check(first.Unbind("inproc://service"))
	fmt.Println(second.Bind("inproc://service"))
	// Output:
	// zmq: bind "inproc://service": address already in use
	// <nil>
}
