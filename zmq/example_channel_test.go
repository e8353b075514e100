package zmq_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

// One goroutine waits for a socket and for Go channels.
func ExampleSocket_Ready() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://orders"))
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://orders"))

	bell := make(chan string)
	go func() {
		check(push.SendString(ctx, "two coffees"))
	}()
	for {
		select {
		case <-pull.Ready():
			order, err := pull.RecvString(ctx, zmq.DontWait)
			if errors.Is(err, zmq.ErrAgain) {
				continue // another goroutine has received it
			}
			check(err)
			fmt.Println("order:", order)
			go func() { bell <- "ready" }()
		case word := <-bell:
			fmt.Println("bell:", word)
			return
		}
	}
	// Output:
	// order: two coffees
	// bell: ready
}

// A message that was not taken from the channel before Stop returns to the socket.
func ExampleSocket_RecvChan() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://letters-in"))
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://letters-in"))
	check(push.SendString(ctx, "one"))
	check(push.SendString(ctx, "two"))

	in := pull.RecvChan(ctx)
	message := <-in.C
	fmt.Printf("%s\n", message[0])
	in.Stop()
	fmt.Println(errors.Is(in.Err(), context.Canceled))

	rest, err := pull.RecvString(ctx)
	check(err)
	fmt.Println(rest)
	// Output:
	// one
	// true
	// two
}

// The socket has sent the messages that the channel took, or Stop returns the last one.
func ExampleSocket_SendChan() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	push, err := zctx.NewSocket(zmq.Push) // without a peer it blocks
	check(err)
	check(push.Bind("inproc://letters-out"))

	out := push.SendChan(context.Background())
	out.C <- [][]byte{[]byte("a letter")}
	fmt.Printf("%q\n", out.Stop())

	select {
	case out.C <- [][]byte{[]byte("another")}:
	case <-out.Done():
		fmt.Println(errors.Is(out.Err(), context.Canceled))
	}
	// Output:
	// ["a letter"]
	// true
}
