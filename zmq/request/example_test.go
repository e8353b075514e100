package request_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"sync"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

// check keeps the examples short. A program handles its errors where they happen.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Three goroutines share a client. The server answers with two workers.
func Example() {
	c, err := zmq.NewContext()
	check(err)
	defer c.Close()

	router, err := c.NewSocket(zmq.Router)
	check(err)
	check(router.Bind("tcp://127.0.0.1:*"))
	endpoint, err := router.LastEndpoint()
	check(err)
	server := request.Server{Workers: 2, Handle: func(_ context.Context, q [][]byte) [][]byte {
		return [][]byte{[]byte(strings.ToUpper(string(q[0])))}
	}}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error)
	go func() { served <- server.Serve(ctx, router) }()

	dealer, err := c.NewSocket(zmq.Dealer)
	check(err)
	check(dealer.Connect(endpoint))
	client, err := request.NewClient(dealer, request.Config{Attempts: 3, Timeout: time.Second})
	check(err)
	defer client.Close()
	var group sync.WaitGroup
	words := []string{"one", "two", "three"}
	replies := make([]string, len(words))
	for i, word := range words {
		group.Go(func() {
			reply, err := client.Request(context.Background(), []byte(word))
			check(err)
			replies[i] = string(reply[0])
		})
	}
	group.Wait()
	fmt.Println(replies)

	cancel()
	fmt.Println(errors.Is(<-served, context.Canceled))
	// Output:
	// [ONE TWO THREE]
	// true
}

// A REP in any language is a server, too. When it loses a request, or takes too long,
// the client goes on.
func ExampleClient() {
	c, err := zmq.NewContext()
	check(err)
	defer c.Close()
	rep, err := c.NewSocket(zmq.Rep)
	check(err)
	check(rep.Bind("inproc://clock"))

	dealer, err := c.NewSocket(zmq.Dealer)
	check(err)
	check(dealer.Connect("inproc://clock"))
	client, err := request.NewClient(dealer, request.Config{})
	check(err)
	defer client.Close()

	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err = client.Request(ctx, []byte("what time is it?"))
	fmt.Println(errors.Is(err, context.DeadlineExceeded))

	go func() {
		for range 2 { // the first answer is too late
			question, err := rep.RecvString()
			check(err)
			check(rep.SendString("answer to: " + question))
		}
	}()
	reply, err := client.Request(context.Background(), []byte("and now?"))
	check(err)
	fmt.Printf("%s\n", reply[0])
	fmt.Println("late:", client.Stats().Late)
	// Output:
	// true
	// answer to: and now?
	// late: 1
}

// What a handler panics with can be logged and answered.
func ExampleServer() {
	c, err := zmq.NewContext()
	check(err)
	defer c.Close()
	router, err := c.NewSocket(zmq.Router)
	check(err)
	check(router.Bind("inproc://division"))
	server := request.Server{
		Handle: func(_ context.Context, q [][]byte) [][]byte {
			return [][]byte{{q[0][0] / q[1][0]}}
		},
		Panicked: func(_ [][]byte, value any, _ []byte) [][]byte {
			return [][]byte{nil, fmt.Append(nil, value)}
		},
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(context.Background(), router) // until the socket is closed
	}()

	dealer, err := c.NewSocket(zmq.Dealer)
	check(err)
	check(dealer.Connect("inproc://division"))
	client, err := request.NewClient(dealer, request.Config{})
	check(err)
	defer client.Close()
	reply, err := client.Request(context.Background(), []byte{42}, []byte{6})
	check(err)
	fmt.Println(reply[0])
	reply, err = client.Request(context.Background(), []byte{42}, []byte{0})
	check(err)
	fmt.Printf("%s\n", reply[1])

	check(router.Close())
	<-done
	// Output:
	// [7]
	// runtime error: integer divide by zero
}
