package zmq_test

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/go-zmq/go-zmq/zmq"
)

// One goroutine waits for a socket and for Go channels.
func ExampleSocket_Ready() {
	ctx := context.Background()
	pull, push, end := connected(zmq.Pull, zmq.Push)
	defer end()

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
	pull, push, end := connected(zmq.Pull, zmq.Push)
	defer end()
	check(push.SendString(ctx, "one"))
	check(push.SendString(ctx, "two"))

	in := pull.RecvChan(ctx)
	message := <-in.C
	fmt.Printf("%s\n", message[0])
	in.Stop()
	fmt.Println(errors.Is(in.Err(), context.Canceled))

	fmt.Println(must(pull.RecvString(ctx)))
	// Output:
	// one
	// true
	// two
}

// The socket has sent the messages that the channel took, or Stop returns the last one.
func ExampleSocket_SendChan() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	push := must(zctx.NewSocket(zmq.Push)) // without a peer it blocks
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

func ExampleProxy() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()

	// The broker: clients on one side, workers on the other.
	clients := must(zctx.NewSocket(zmq.Router))
	check(clients.Bind("inproc://clients"))
	workers := must(zctx.NewSocket(zmq.Dealer))
	check(workers.Bind("inproc://workers"))
	stop, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- zmq.Proxy(stop, clients, workers, nil) }()

	worker := must(zctx.NewSocket(zmq.Rep))
	check(worker.Connect("inproc://workers"))
	go func() {
		for {
			name, err := worker.RecvString(context.Background())
			if err != nil {
				return // the context is closed
			}
			check(worker.SendString(context.Background(), "hello, "+name))
		}
	}()

	client := must(zctx.NewSocket(zmq.Req))
	check(client.Connect("inproc://clients"))
	check(client.SendString(context.Background(), "Ada"))
	fmt.Println(must(client.RecvString(context.Background())))

	cancel()
	fmt.Println(<-ended)
	// Output:
	// hello, Ada
	// zmq: proxy: context canceled
}

func ExampleSteerableProxy() {
	ctx := context.Background()
	in, producer, endIn := connected(zmq.Pull, zmq.Push)
	defer endIn()
	consumer, out, endOut := connected(zmq.Pull, zmq.Push)
	defer endOut()
	p := must(zmq.NewSteerableProxy(in, out, nil))
	ended := make(chan error)
	go func() { ended <- p.Run(ctx) }()

	check(p.Pause())
	check(producer.SendString(ctx, "work"))
	_, err := consumer.RecvString(ctx, zmq.DontWait)
	fmt.Println("paused:", err)
	check(p.Resume())
	fmt.Println("resumed:", must(consumer.RecvString(ctx)))

	s := must(p.Statistics())
	fmt.Println("messages:", s.Frontend.MessagesReceived, "in,", s.Backend.MessagesSent, "out")
	check(p.Terminate())
	fmt.Println("ended:", <-ended)
	// Output:
	// paused: zmq: recv: resource temporarily unavailable
	// resumed: work
	// messages: 1 in, 1 out
	// ended: <nil>
}

// Go values are sent and received as JSON.
func ExampleSocket_SendJSON() {
	ctx := context.Background()
	pull, push, end := connected(zmq.Pull, zmq.Push)
	defer end()

	type order struct{ Item string }
	check(push.SendJSON(ctx, order{"nut"}))
	var o order
	check(pull.RecvJSON(ctx, &o))
	fmt.Println(o.Item)
	// Output: nut
}

// Go values are sent and received as a stream of package gob.
func ExampleNewReadWriter() {
	ctx := context.Background()
	pull, push, end := connected(zmq.Pull, zmq.Push)
	defer end()

	encoder := gob.NewEncoder(zmq.NewReadWriter(ctx, push))
	check(encoder.Encode([]int{1, 2, 3}))
	var values []int
	decoder := gob.NewDecoder(zmq.NewReadWriter(ctx, pull))
	check(decoder.Decode(&values))
	fmt.Println(values)
	// Output: [1 2 3]
}

// Log records are published to subscribers.
func ExampleNewReadWriter_logging() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	pub := must(zctx.NewSocket(zmq.XPub))
	check(pub.Bind("inproc://log"))
	sub := must(zctx.NewSocket(zmq.Sub, zmq.Subscribe.To("log.")))
	check(sub.Connect("inproc://log"))
	_ = must(pub.RecvBytes(ctx)) // the subscription

	out := zmq.NewReadWriter(ctx, pub, []byte("log.orders"))
	logger := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	logger.Info("placed", "number", 7)

	parts := must(sub.RecvMultipart(ctx))
	fmt.Printf("%s: %s", parts[0], parts[1])
	// Output: log.orders: level=INFO msg=placed number=7
}

// A message is a slice of parts. Go's slice operations replace the methods of a container
// of frames.
func ExampleSocket_SendMultipart_envelope() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	router := must(zctx.NewSocket(zmq.Router))
	check(router.Bind("inproc://envelope"))
	dealer := must(zctx.NewSocket(zmq.Dealer, zmq.RoutingID.To([]byte("worker"))))
	check(dealer.Connect("inproc://envelope"))
	check(dealer.SendMultipart(ctx, [][]byte{nil, []byte("ready")}))

	message := must(router.RecvMultipart(ctx))
	id := message[0]                              // read the first part
	message = message[1:]                         // remove it
	message = append(message, []byte("go on"))    // append a part
	message = slices.Insert(message, 1, []byte{}) // insert
	message = slices.Delete(message, 0, 1)        // remove
	for i, part := range message {                // iterate
		fmt.Printf("%d %q\n", i, part)
	}
	check(router.SendMultipart(ctx, append([][]byte{id}, message...))) // put the id in front
	fmt.Println(len(must(dealer.RecvMultipart(ctx))), "parts for", string(id))
	// Output:
	// 0 ""
	// 1 "ready"
	// 2 "go on"
	// 3 parts for worker
}

// SocketDefaults sets options that apply to every socket of a context.
func ExampleSocketDefaults() {
	zctx := must(zmq.NewContext(zmq.SocketDefaults(zmq.HWM(100), zmq.Linger.To(0))))
	defer zctx.Close()
	fmt.Println(must(zmq.SendHWM.Get(must(zctx.NewSocket(zmq.Push)))))
	// Output: 100
}
