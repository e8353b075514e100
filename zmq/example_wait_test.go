package zmq_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// What would have to wait fails at once.
func ExampleFlag() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pull, err := ctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://impatient"))
	_, err = pull.RecvBytes(zmq.DontWait)
	fmt.Println("nothing to receive:", errors.Is(err, zmq.ErrAgain))

	push, err := ctx.NewSocket(zmq.Push)
	check(err)
	err = push.SendString("hello", zmq.DontWait)
	fmt.Println("nobody to send to:", errors.Is(err, zmq.ErrAgain))
	// Output:
	// nothing to receive: true
	// nobody to send to: true
}

// A limit for every receive; a context can end one sooner.
func ExampleOption_recvTimeout() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pull, err := ctx.NewSocket(zmq.Pull, zmq.RecvTimeout.To(10*time.Millisecond))
	check(err)
	check(pull.Bind("inproc://patient"))
	_, err = pull.RecvBytes()
	fmt.Println(errors.Is(err, zmq.ErrAgain), errors.Is(err, os.ErrDeadlineExceeded))
	// Output: true true
}

// A send that ends with its context has sent nothing.
func ExampleSocket_SendMultipartContext() {
	c, err := zmq.NewContext()
	check(err)
	defer c.Close()
	push, err := c.NewSocket(zmq.Push) // with no peer there is no room
	check(err)
	check(push.Bind("inproc://orders-out"))

	ctx, cancel := context.WithCancel(context.Background())
	go cancel()
	err = push.SendMultipartContext(ctx, [][]byte{[]byte("two"), []byte("coffees")})
	fmt.Println(errors.Is(err, context.Canceled))
	// Output: true
}

// Waiting without receiving: for a program that wants a batch of what is there.
func ExampleSocket_WaitReadable() {
	c, err := zmq.NewContext()
	check(err)
	defer c.Close()
	pull, err := c.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://arrivals"))
	push, err := c.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://arrivals"))
	go func() { check(push.SendString("an arrival")) }()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	check(pull.WaitReadable(ctx))
	arrival, err := pull.RecvString(zmq.DontWait)
	check(err)
	fmt.Println(arrival)
	// Output: an arrival
}

// Closing a socket ends the calls that wait on it, in whichever goroutine.
func ExampleSocket_Close() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pull, err := ctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://open"))

	ended := make(chan error)
	go func() {
		_, err := pull.RecvBytes()
		ended <- err
	}()
	check(pull.Close())
	fmt.Println(errors.Is(<-ended, zmq.ErrClosed))
	check(pull.Close()) // as often as you like
	// Output: true
}

// Shutdown ends everything that waits, and leaves it to each user of a socket to close
// it.
func ExampleContext_Shutdown() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pull, err := ctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://service-desk"))

	ended := make(chan error)
	go func() {
		for _, err := range pull.Messages(context.Background()) {
			ended <- err
		}
	}()
	check(ctx.Shutdown())
	fmt.Println(errors.Is(<-ended, zmq.ErrTerminated))
	_, err = ctx.NewSocket(zmq.Push)
	fmt.Println(errors.Is(err, zmq.ErrTerminated))
	// Output:
	// true
	// true
}

// What a socket has done, for whoever wants to look at it.
func ExampleSocket_Stats() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pull, err := ctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://counted"))
	push, err := ctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://counted"))
	for range 10 {
		check(push.SendMultipart([][]byte{[]byte("four"), []byte("more")}))
	}
	_, err = pull.RecvMultipart()
	check(err)

	sent, received := push.Stats(), pull.Stats()
	fmt.Println(sent.MessagesSent, "messages,", sent.PartsSent, "parts,", sent.BytesSent, "bytes sent")
	fmt.Println(received.MessagesReceived, "message received")
	// Output:
	// 10 messages, 20 parts, 80 bytes sent
	// 1 message received
}
