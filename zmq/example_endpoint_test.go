package zmq_test

import (
	"fmt"
	"strings"

	"github.com/go-zmq/go-zmq/zmq"
)

// With a wildcard for the port, the system chooses one that is free.
func ExampleSocket_LastEndpoint() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	server, err := ctx.NewSocket(zmq.Pull)
	check(err)
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint, err := server.LastEndpoint()
	check(err)
	port := strings.TrimPrefix(endpoint, "tcp://127.0.0.1:")
	fmt.Println(port != "*")

	check(server.Bind("inproc://beside")) // a socket can have several
	endpoint, err = server.LastEndpoint()
	check(err)
	fmt.Println(endpoint)
	// Output:
	// true
	// inproc://beside
}

// A socket that is connected to two others, and leaves one.
func ExampleSocket_Disconnect() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	var pulls []*zmq.Socket
	push, err := ctx.NewSocket(zmq.Push)
	check(err)
	for _, endpoint := range []string{"inproc://east", "inproc://west"} {
		pull, err := ctx.NewSocket(zmq.Pull)
		check(err)
		check(pull.Bind(endpoint))
		check(push.Connect(endpoint))
		pulls = append(pulls, pull)
	}
	for _, letter := range []string{"one", "two"} { // dealt out in turn
		check(push.SendString(letter))
	}
	check(push.Disconnect("inproc://east"))
	for _, letter := range []string{"three", "four"} {
		check(push.SendString(letter))
	}

	for i, letters := range []int{1, 3} {
		for range letters {
			letter, err := pulls[i].RecvString()
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

// A name that was unbound can be bound by another socket.
func ExampleSocket_Unbind() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	first, err := ctx.NewSocket(zmq.Rep)
	check(err)
	second, err := ctx.NewSocket(zmq.Rep)
	check(err)

	check(first.Bind("inproc://service"))
	fmt.Println(second.Bind("inproc://service"))
	check(first.Unbind("inproc://service"))
	fmt.Println(second.Bind("inproc://service"))
	// Output:
	// zmq: bind "inproc://service": address already in use
	// <nil>
}
