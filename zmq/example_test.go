package zmq_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// check and must keep the examples short. A program handles its errors where they happen.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// must returns the value of a call that has not failed.
func must[T any](value T, err error) T {
	check(err)
	return value
}

// A PUSH sends a message to a PULL over tcp until Ctrl-C stops the program.
func Example() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt) // Ctrl-C ends every wait
	defer stop()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close() // closes its sockets, too
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("tcp://127.0.0.1:*")) // any free port
	endpoint, err := pull.LastEndpoint()
	check(err)
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect(endpoint))
	go func() { check(push.SendString(ctx, "hello from another goroutine")) }()
	greeting, err := pull.RecvString(ctx)
	check(err)
	fmt.Println(greeting)
	// Output: hello from another goroutine
}

// A REQ sends a request and receives the reply. A REP receives requests and replies in
// turn.
func Example_requestReply() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()

	server := must(zctx.NewSocket(zmq.Rep))
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint := must(server.LastEndpoint()) // contains the port that was chosen
	go func() {
		for {
			name, err := server.RecvString(ctx)
			if errors.Is(err, zmq.ErrClosed) {
				return
			}
			check(err)
			check(server.SendString(ctx, "hello, "+name))
		}
	}()

	client := must(zctx.NewSocket(zmq.Req))
	check(client.Connect(endpoint))
	for _, name := range []string{"Ada", "Grace"} {
		check(client.SendString(ctx, name))
		fmt.Println(must(client.RecvString(ctx)))
	}
	// Output:
	// hello, Ada
	// hello, Grace
}

// A PUB sends each message to the subscribers of a matching topic. It drops messages
// without subscribers; see the example of WaitSubscribers for how to wait.
func Example_publishSubscribe() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()

	pub := must(zctx.NewSocket(zmq.Pub))
	check(pub.Bind("inproc://weather"))
	sub := must(zctx.NewSocket(zmq.Sub))
	check(sub.Subscribe("oslo"))
	check(sub.Connect("inproc://weather"))

	check(pub.SendMultipart(ctx, [][]byte{[]byte("rome"), []byte("31 °C")}))
	check(pub.SendMultipart(ctx, [][]byte{[]byte("oslo"), []byte("17 °C")}))

	parts := must(sub.RecvMultipart(ctx))
	fmt.Printf("%s: %s\n", parts[0], parts[1])
	// Output: oslo: 17 °C
}

// A PUSH distributes its messages among the connected PULLs.
func Example_pushPull() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()

	push := must(zctx.NewSocket(zmq.Push))
	check(push.Bind("inproc://tasks"))
	var workers []*zmq.Socket
	for range 2 {
		pull := must(zctx.NewSocket(zmq.Pull))
		check(pull.Connect("inproc://tasks"))
		workers = append(workers, pull)
	}

	for _, task := range []string{"one", "two", "three", "four"} {
		check(push.SendString(ctx, task))
	}
	for i, worker := range workers {
		for range 2 {
			task := must(worker.RecvString(ctx))
			fmt.Printf("worker %d: %s\n", i, task)
		}
	}
	// Output:
	// worker 0: one
	// worker 0: three
	// worker 1: two
	// worker 1: four
}

// A PAIR is connected to exactly one other PAIR.
func Example_pair() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()

	parent := must(zctx.NewSocket(zmq.Pair))
	check(parent.Bind("inproc://family"))
	child := must(zctx.NewSocket(zmq.Pair))
	check(child.Connect("inproc://family"))

	check(child.SendString(ctx, "are we there yet?"))
	question := must(parent.RecvString(ctx))
	check(parent.SendString(ctx, "no"))
	fmt.Println(question, must(child.RecvString(ctx)))
	// Output: are we there yet? no
}

// A ROUTER identifies each peer by a routing id, the first part of each message that it
// receives or sends. A DEALER sends and receives at any time.
func Example_routerDealer() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()

	router := must(zctx.NewSocket(zmq.Router))
	check(router.Bind("inproc://calculator"))
	dealer := must(zctx.NewSocket(zmq.Dealer, zmq.RoutingID.To([]byte("client-1"))))
	check(dealer.Connect("inproc://calculator"))

	check(dealer.SendMultipart(ctx, [][]byte{[]byte("add"), []byte("2"), []byte("3")}))
	request := must(router.RecvMultipart(ctx))
	fmt.Printf("%q\n", request)

	check(router.SendMultipart(ctx, [][]byte{request[0], []byte("5")}))
	fmt.Printf("%q\n", must(dealer.RecvMultipart(ctx)))
	// Output:
	// ["client-1" "add" "2" "3"]
	// ["5"]
}

// An XPUB receives subscriptions, so a publisher can wait for the first one. An XSUB
// subscribes by sending the byte 1 and the topic.
func Example_xpubXsub() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()

	xpub := must(zctx.NewSocket(zmq.XPub))
	check(xpub.Bind("tcp://127.0.0.1:*"))
	endpoint := must(xpub.LastEndpoint())
	xsub := must(zctx.NewSocket(zmq.XSub))
	check(xsub.Connect(endpoint))
	check(xsub.SendString(ctx, "\x01news"))

	fmt.Printf("%q\n", must(xpub.RecvString(ctx)))

	check(xpub.SendString(ctx, "sports: nothing"))
	check(xpub.SendString(ctx, "news: something"))
	fmt.Println(must(xsub.RecvString(ctx)))
	// Output:
	// "\x01news"
	// news: something
}

// A STREAM uses plain TCP. Each message consists of the peer's routing id and some bytes.
// The bytes are empty when the peer has connected or disconnected.
func Example_stream() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()

	server := must(zctx.NewSocket(zmq.Stream))
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint := must(server.LastEndpoint())

	conn := must(net.Dial("tcp", strings.TrimPrefix(endpoint, "tcp://")))
	came := must(server.RecvMultipart(ctx))
	fmt.Printf("came: %q\n", came[1])

	_ = must(fmt.Fprintln(conn, "hello"))
	request := must(server.RecvMultipart(ctx))
	fmt.Printf("said: %q\n", request[1])

	check(server.SendMultipart(ctx, [][]byte{request[0], []byte("goodbye\n")}))
	answer := must(bufio.NewReader(conn).ReadString('\n'))
	fmt.Printf("heard: %q\n", answer)

	check(conn.Close())
	went := must(server.RecvMultipart(ctx))
	fmt.Printf("went: %q\n", went[1])
	// Output:
	// came: ""
	// said: "hello\n"
	// heard: "goodbye\n"
	// went: ""
}

// Any number of goroutines may send and receive on one socket.
func ExampleSocket() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	pull := must(zctx.NewSocket(zmq.Pull))
	check(pull.Bind("inproc://numbers"))
	push := must(zctx.NewSocket(zmq.Push))
	check(push.Connect("inproc://numbers"))

	var senders, receivers sync.WaitGroup
	var sum atomic.Int64
	for range 4 {
		receivers.Go(func() {
			for range 25 {
				number := must(pull.RecvBytes(ctx))
				sum.Add(int64(number[0]))
			}
		})
		senders.Go(func() {
			for i := range 25 {
				check(push.Send(ctx, []byte{byte(i)}))
			}
		})
	}
	senders.Wait()
	receivers.Wait()
	fmt.Println(sum.Load())
	// Output: 1200
}

// A receive that was cancelled has taken no message.
func ExampleSocket_RecvString_cancel() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	pull := must(zctx.NewSocket(zmq.Pull))
	check(pull.Bind("inproc://letters"))

	brief, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	_, err := pull.RecvString(brief)
	fmt.Println(errors.Is(err, context.DeadlineExceeded))

	push := must(zctx.NewSocket(zmq.Push))
	check(push.Connect("inproc://letters"))
	check(push.SendString(ctx, "a letter"))
	letter := must(pull.RecvString(ctx))
	fmt.Println(letter)
	// Output:
	// true
	// a letter
}

// The parts are views, valid until the next step of the loop.
func ExampleSocket_Messages() {
	ctx := context.Background()
	pull, push, end := connected(zmq.Pull, zmq.Push)
	defer end()
	check(push.SendMultipart(ctx, [][]byte{[]byte("page 1"), []byte("once upon a time")}))
	check(push.SendMultipart(ctx, [][]byte{[]byte("page 2"), []byte("the end")}))

	for message, err := range pull.Messages(ctx) {
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

// Options are typed values: To returns a setting, and Get reads the option.
func ExampleOption() {
	zctx := must(zmq.NewContext(zmq.IOThreads.To(2)))
	defer zctx.Close()

	s := must(zctx.NewSocket(zmq.Dealer, zmq.SendHWM.To(100), zmq.RoutingID.To([]byte("worker"))))
	check(s.Set(zmq.RecvTimeout.To(1500 * time.Microsecond))) // rounded up to milliseconds

	hwm := must(zmq.SendHWM.Get(s))
	id := must(zmq.RoutingID.Get(s))
	timeout := must(zmq.RecvTimeout.Get(s))
	fmt.Printf("%d %s %v\n", hwm, id, timeout)
	// Output: 100 worker 2ms
}

// connected returns a socket that is bound and one that is connected to it, which end
// closes. The examples of the patterns show each step.
func connected(bound, connecting zmq.SocketType) (b, c *zmq.Socket, end func() error) {
	zctx := must(zmq.NewContext())
	b, c = must(zctx.NewSocket(bound)), must(zctx.NewSocket(connecting))
	check(b.Bind("inproc://example"))
	check(c.Connect("inproc://example"))
	return b, c, zctx.Close
}
