package zmq_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

// One goroutine waits for a socket and for Go channels.
func ExampleSocket_Ready() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pull, err := ctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://orders"))
	push, err := ctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://orders"))

	bell := make(chan string)
	go func() {
		check(push.SendString("two coffees"))
	}()
	for {
		select {
		case <-pull.Ready():
			order, err := pull.RecvString(zmq.DontWait)
			if errors.Is(err, zmq.ErrAgain) {
				continue // there is none after all
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

// What nobody has taken from the channel when it ends is still in the socket.
func ExampleSocket_RecvChan() {
	c, err := zmq.NewContext()
	check(err)
	defer c.Close()
	pull, err := c.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://letters-in"))
	push, err := c.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://letters-in"))
	check(push.SendString("one"))
	check(push.SendString("two"))

	in := pull.RecvChan(context.Background())
	message := <-in.C
	fmt.Printf("%s\n", message[0])
	in.Stop()
	fmt.Println(errors.Is(in.Err(), context.Canceled))

	rest, err := pull.RecvString()
	check(err)
	fmt.Println(rest)
	// Output:
	// one
	// true
	// two
}

// What the channel took has been sent, or Stop returns it.
func ExampleSocket_SendChan() {
	c, err := zmq.NewContext()
	check(err)
	defer c.Close()
	push, err := c.NewSocket(zmq.Push) // with no peer there is no room
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
