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
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()

	router, err := zctx.NewSocket(zmq.Router)
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

	dealer, err := zctx.NewSocket(zmq.Dealer)
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
			reply, err := client.Request(ctx, []byte(word))
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

// The server can be a REP in any language. The client keeps working when the server
// loses a request or replies too late.
func ExampleClient() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	rep, err := zctx.NewSocket(zmq.Rep)
	check(err)
	check(rep.Bind("inproc://clock"))

	dealer, err := zctx.NewSocket(zmq.Dealer)
	check(err)
	check(dealer.Connect("inproc://clock"))
	client, err := request.NewClient(dealer, request.Config{})
	check(err)
	defer client.Close()

	limited, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	_, err = client.Request(limited, []byte("what time is it?"))
	fmt.Println(errors.Is(err, context.DeadlineExceeded))

	go func() {
		for range 2 { // the first reply is too late
			question, err := rep.RecvString(ctx)
			check(err)
			check(rep.SendString(ctx, "reply to: "+question))
		}
	}()
	reply, err := client.Request(ctx, []byte("and now?"))
	check(err)
	fmt.Printf("%s\n", reply[0])
	fmt.Println("late:", client.Stats().Late)
	// Output:
	// true
	// reply to: and now?
	// late: 1
}

// A server can log the panic of a handler and reply to it.
func ExampleServer() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	router, err := zctx.NewSocket(zmq.Router)
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
		_ = server.Serve(ctx, router) // returns when the socket is closed
	}()

	dealer, err := zctx.NewSocket(zmq.Dealer)
	check(err)
	check(dealer.Connect("inproc://division"))
	client, err := request.NewClient(dealer, request.Config{})
	check(err)
	defer client.Close()
	reply, err := client.Request(ctx, []byte{42}, []byte{6})
	check(err)
	fmt.Println(reply[0])
	reply, err = client.Request(ctx, []byte{42}, []byte{0})
	check(err)
	fmt.Printf("%s\n", reply[1])

	check(router.Close())
	<-done
	// Output:
	// [7]
	// runtime error: integer divide by zero
}
