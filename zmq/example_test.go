package zmq_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// check keeps the examples short. A program handles its errors where they happen.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func Example() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pull, err := ctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://greetings"))
	push, err := ctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://greetings"))
	go func() { check(push.SendString("hello from another goroutine")) }()
	greeting, err := pull.RecvString()
	check(err)
	fmt.Println(greeting)
	// Output: hello from another goroutine
}

// A REQ sends a request and receives the reply; a REP answers in turn.
func Example_requestReply() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()

	server, err := ctx.NewSocket(zmq.Rep)
	check(err)
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint, err := server.LastEndpoint() // with the port that was free
	check(err)
	go func() {
		for {
			name, err := server.RecvString()
			if errors.Is(err, zmq.ErrClosed) {
				return
			}
			check(err)
			check(server.SendString("hello, " + name))
		}
	}()

	client, err := ctx.NewSocket(zmq.Req)
	check(err)
	check(client.Connect(endpoint))
	for _, name := range []string{"Ada", "Grace"} {
		check(client.SendString(name))
		reply, err := client.RecvString()
		check(err)
		fmt.Println(reply)
	}
	// Output:
	// hello, Ada
	// hello, Grace
}

// A SUB gets the messages that begin with a topic it subscribed to. A PUB drops
// what nobody has subscribed to yet; see the example of XPUB for how to wait.
func Example_publishSubscribe() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()

	pub, err := ctx.NewSocket(zmq.Pub)
	check(err)
	check(pub.Bind("inproc://weather"))
	sub, err := ctx.NewSocket(zmq.Sub)
	check(err)
	check(sub.Subscribe("oslo"))
	check(sub.Connect("inproc://weather"))

	check(pub.SendMultipart([][]byte{[]byte("rome"), []byte("31 °C")}))
	check(pub.SendMultipart([][]byte{[]byte("oslo"), []byte("17 °C")}))

	parts, err := sub.RecvMultipart()
	check(err)
	fmt.Printf("%s: %s\n", parts[0], parts[1])
	// Output: oslo: 17 °C
}

// A PUSH deals its messages out to the PULLs that are connected.
func Example_pushPull() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()

	push, err := ctx.NewSocket(zmq.Push)
	check(err)
	check(push.Bind("inproc://tasks"))
	var workers []*zmq.Socket
	for range 2 {
		pull, err := ctx.NewSocket(zmq.Pull)
		check(err)
		check(pull.Connect("inproc://tasks"))
		workers = append(workers, pull)
	}

	for _, task := range []string{"one", "two", "three", "four"} {
		check(push.SendString(task))
	}
	for i, worker := range workers {
		for range 2 {
			task, err := worker.RecvString()
			check(err)
			fmt.Printf("worker %d: %s\n", i, task)
		}
	}
	// Output:
	// worker 0: one
	// worker 0: three
	// worker 1: two
	// worker 1: four
}

// Two PAIRs are connected with each other and nobody else.
func Example_pair() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()

	parent, err := ctx.NewSocket(zmq.Pair)
	check(err)
	check(parent.Bind("inproc://family"))
	child, err := ctx.NewSocket(zmq.Pair)
	check(err)
	check(child.Connect("inproc://family"))

	check(child.SendString("are we there yet?"))
	question, err := parent.RecvString()
	check(err)
	check(parent.SendString("no"))
	answer, err := child.RecvString()
	check(err)
	fmt.Println(question, answer)
	// Output: are we there yet? no
}

// A ROUTER knows each peer by a routing id: the first part of what it receives,
// and of what it sends. A DEALER sends and receives whenever it likes.
func Example_routerDealer() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()

	router, err := ctx.NewSocket(zmq.Router)
	check(err)
	check(router.Bind("inproc://calculator"))
	dealer, err := ctx.NewSocket(zmq.Dealer, zmq.RoutingID.To([]byte("client-1")))
	check(err)
	check(dealer.Connect("inproc://calculator"))

	check(dealer.SendMultipart([][]byte{[]byte("add"), []byte("2"), []byte("3")}))
	request, err := router.RecvMultipart()
	check(err)
	fmt.Printf("%q\n", request)

	check(router.SendMultipart([][]byte{request[0], []byte("5")}))
	reply, err := dealer.RecvMultipart()
	check(err)
	fmt.Printf("%q\n", reply)
	// Output:
	// ["client-1" "add" "2" "3"]
	// ["5"]
}

// An XPUB receives subscriptions, so a publisher can wait for the first one. An
// XSUB subscribes by sending the byte 1 and the topic.
func Example_xpubXsub() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()

	xpub, err := ctx.NewSocket(zmq.XPub)
	check(err)
	check(xpub.Bind("tcp://127.0.0.1:*"))
	endpoint, err := xpub.LastEndpoint()
	check(err)
	xsub, err := ctx.NewSocket(zmq.XSub)
	check(err)
	check(xsub.Connect(endpoint))
	check(xsub.SendString("\x01news"))

	subscription, err := xpub.RecvString()
	check(err)
	fmt.Printf("%q\n", subscription)

	check(xpub.SendString("sports: nothing"))
	check(xpub.SendString("news: something"))
	message, err := xsub.RecvString()
	check(err)
	fmt.Println(message)
	// Output:
	// "\x01news"
	// news: something
}

// A STREAM speaks plain TCP. Each message is the peer's routing id and some bytes,
// or none when the peer came or went.
func Example_stream() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()

	server, err := ctx.NewSocket(zmq.Stream)
	check(err)
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint, err := server.LastEndpoint()
	check(err)

	conn, err := net.Dial("tcp", strings.TrimPrefix(endpoint, "tcp://"))
	check(err)
	came, err := server.RecvMultipart()
	check(err)
	fmt.Printf("came: %q\n", came[1])

	_, err = fmt.Fprintln(conn, "hello")
	check(err)
	request, err := server.RecvMultipart()
	check(err)
	fmt.Printf("said: %q\n", request[1])

	check(server.SendMultipart([][]byte{request[0], []byte("goodbye\n")}))
	answer, err := bufio.NewReader(conn).ReadString('\n')
	check(err)
	fmt.Printf("heard: %q\n", answer)

	check(conn.Close())
	went, err := server.RecvMultipart()
	check(err)
	fmt.Printf("went: %q\n", went[1])
	// Output:
	// came: ""
	// said: "hello\n"
	// heard: "goodbye\n"
	// went: ""
}

// Any number of goroutines may send and receive on the same socket.
func ExampleSocket() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pull, err := ctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://numbers"))
	push, err := ctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://numbers"))

	var senders, receivers sync.WaitGroup
	var sum atomic.Int64
	for range 4 {
		receivers.Go(func() {
			for range 25 {
				number, err := pull.RecvBytes()
				check(err)
				sum.Add(int64(number[0]))
			}
		})
		senders.Go(func() {
			for i := range 25 {
				check(push.Send([]byte{byte(i)}))
			}
		})
	}
	senders.Wait()
	receivers.Wait()
	fmt.Println(sum.Load())
	// Output: 1200
}

// A receive that ends with its context has taken no message.
func ExampleSocket_RecvStringContext() {
	c, err := zmq.NewContext()
	check(err)
	defer c.Close()
	pull, err := c.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://letters"))

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err = pull.RecvStringContext(ctx)
	fmt.Println(errors.Is(err, context.DeadlineExceeded))

	push, err := c.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://letters"))
	check(push.SendString("a letter"))
	letter, err := pull.RecvStringContext(context.Background())
	check(err)
	fmt.Println(letter)
	// Output:
	// true
	// a letter
}

// The parts are views, valid until the next step of the loop.
func ExampleSocket_Messages() {
	c, err := zmq.NewContext()
	check(err)
	defer c.Close()
	pull, err := c.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://pages"))
	push, err := c.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://pages"))
	check(push.SendMultipart([][]byte{[]byte("page 1"), []byte("once upon a time")}))
	check(push.SendMultipart([][]byte{[]byte("page 2"), []byte("the end")}))

	for message, err := range pull.Messages(context.Background()) {
		check(err)
		fmt.Printf("%s: %s\n", message[0].Bytes(), message[1].Bytes())
		if string(message[1].Bytes()) == "the end" {
			break
		}
	}
	// Output:
	// page 1: once upon a time
	// page 2: the end
}

// Options are typed values: To makes a setting, Get reads the option.
func ExampleOption() {
	ctx, err := zmq.NewContext(zmq.IOThreads.To(2))
	check(err)
	defer ctx.Close()

	s, err := ctx.NewSocket(zmq.Dealer, zmq.SendHWM.To(100), zmq.RoutingID.To([]byte("worker")))
	check(err)
	check(s.Set(zmq.RecvTimeout.To(1500 * time.Microsecond))) // rounded up to milliseconds

	hwm, err := zmq.SendHWM.Get(s)
	check(err)
	id, err := zmq.RoutingID.Get(s)
	check(err)
	timeout, err := zmq.RecvTimeout.Get(s)
	check(err)
	fmt.Printf("%d %s %v\n", hwm, id, timeout)
	// Output: 100 worker 2ms
}

// Close waits for messages that linger; CloseContext says how long at most, and
// which sockets still held some.
func ExampleContext_CloseContext() {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // a peer that never answers
	check(err)
	defer silent.Close()
	c, err := zmq.NewContext()
	check(err)
	push, err := c.NewSocket(zmq.Push, zmq.Linger.To(-1))
	check(err)
	check(push.Connect("tcp://" + silent.Addr().String()))
	check(push.SendString("is anybody there?"))

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	err = c.CloseContext(ctx)
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	fmt.Println(strings.Contains(err.Error(), "PUSH tcp://127.0.0.1:"))
	check(c.Close()) // the rest was done in the background
	// Output:
	// true
	// true
}

// Errors answer errors.Is for the package's own values and the standard ones.
func ExampleError() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	s, err := ctx.NewSocket(zmq.Req, zmq.SendTimeout.To(time.Millisecond))
	check(err)
	check(s.Bind("inproc://questions"))

	_, err = s.RecvBytes()
	fmt.Println("receive before send:", errors.Is(err, zmq.ErrState))
	err = s.SendString("question", zmq.DontWait)
	fmt.Println("nobody to send to:", errors.Is(err, zmq.ErrAgain))
	err = s.SendString("question")
	fmt.Println("waited in vain:", errors.Is(err, os.ErrDeadlineExceeded))

	check(s.Close())
	err = s.SendString("question")
	fmt.Println("closed:", errors.Is(err, zmq.ErrClosed), errors.Is(err, net.ErrClosed))
	var e *zmq.Error
	if errors.As(err, &e) {
		fmt.Println("operation:", e.Op)
	}
	// Output:
	// receive before send: true
	// nobody to send to: true
	// waited in vain: true
	// closed: true true
	// operation: send
}
