package zmq_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// Values are checked, and the error names the option and says what is wrong.
func ExampleSocket_Set() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	s := must(zctx.NewSocket(zmq.Push))
	check(s.Set(zmq.Linger.To(2*time.Second), zmq.HeartbeatInterval.To(time.Second)))

	err := s.Set(zmq.SendHWM.To(-1))
	fmt.Println(errors.Is(err, syscall.EINVAL))
	fmt.Println(err)
	fmt.Println(s.Set(zmq.RouterMandatory.To(true)))
	// Output:
	// true
	// zmq: set SNDHWM: -1 is out of range; the allowed range is 0 to 2147483647 messages
	// zmq: set ROUTER_MANDATORY: a PUSH socket does not have this option; only ROUTER sockets do
}

// Some options of a context must be set before its first socket is created.
func ExampleContextOption() {
	zctx := must(zmq.NewContext(zmq.IOThreads.To(2), zmq.MaxSockets.To(100)))
	defer zctx.Close()
	fmt.Println(must(zmq.IOThreads.Get(zctx)), must(zmq.MaxSockets.Get(zctx)))
	// Output: 2 100
}

// OptionByNumber uses libzmq's number and unit of an option, here milliseconds for
// ZMQ_RCVTIMEO.
func ExampleOptionByNumber() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	fmt.Println(must(zmq.RecvTimeout.Get(must(zctx.NewSocket(zmq.Pull, zmq.OptionByNumber[int](27).To(1500))))))
	// Output: 1.5s
}

// Options returns the current values of all options by their libzmq names.
func ExampleSocket_Options() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	s := must(zctx.NewSocket(zmq.Sub, zmq.RecvHWM.To(10)))
	options := s.Options()
	fmt.Println(options["RCVHWM"], options["SNDHWM"])
	// Output: 10 0
}

// Has reports the capabilities of the libzmq in use.
func ExampleHas() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	s, err := zctx.NewSocket(zmq.Pull)
	check(err)
	endpoint := "tcp://127.0.0.1:*"
	if zmq.Has("ipc") { // on Windows since libzmq 4.3.5
		endpoint = "ipc://*"
	}
	check(s.Bind(endpoint))
	fmt.Println("unknown capability:", zmq.Has("telepathy"))
	// Output: unknown capability: false
}

// With a wildcard for the port, the system chooses a free port.
func ExampleSocket_LastEndpoint() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	server := must(zctx.NewSocket(zmq.Pull))
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint := must(server.LastEndpoint())
	port := strings.TrimPrefix(endpoint, "tcp://127.0.0.1:")
	fmt.Println(port != "*")

	check(server.Bind("inproc://beside")) // a socket can have several endpoints
	endpoint = must(server.LastEndpoint())
	fmt.Println(endpoint)
	// Output:
	// true
	// inproc://beside
}

// A PUSH is connected to two sockets and disconnects from one of them.
func ExampleSocket_Disconnect() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	var pulls []*zmq.Socket
	push := must(zctx.NewSocket(zmq.Push))
	for _, endpoint := range []string{"inproc://east", "inproc://west"} {
		pull := must(zctx.NewSocket(zmq.Pull))
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
			letter := must(pulls[i].RecvString(ctx))
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
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	first := must(zctx.NewSocket(zmq.Rep))
	second := must(zctx.NewSocket(zmq.Rep))

	check(first.Bind("inproc://service"))
	fmt.Println(second.Bind("inproc://service"))
	check(first.Unbind("inproc://service"))
	fmt.Println(second.Bind("inproc://service"))
	// Output:
	// zmq: bind "inproc://service": address already in use
	// <nil>
}

// A ROUTER with RouterMandatory returns an error when it cannot deliver a message.
func ExampleOption_routerMandatory() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	router := must(zctx.NewSocket(zmq.Router, zmq.RouterMandatory.To(true), zmq.SendHWM.To(1)))
	check(router.Bind("inproc://post-office"))
	dealer := must(zctx.NewSocket(zmq.Dealer, zmq.RoutingID.To([]byte("ada")), zmq.RecvHWM.To(1)))
	check(dealer.Connect("inproc://post-office"))

	letter := func(to string) error {
		return router.SendMultipart(context.Background(), [][]byte{[]byte(to), []byte("a letter")}, zmq.DontWait)
	}
	fmt.Println("no peer with that id:", errors.Is(letter("grace"), zmq.ErrHostUnreachable))
	err := letter("ada")
	for err == nil {
		err = letter("ada")
	}
	fmt.Println("the mailbox is full:", errors.Is(err, zmq.ErrAgain))
	// Output:
	// no peer with that id: true
	// the mailbox is full: true
}

// A ROUTER that connects chooses the routing id of its peer, so it can send first.
func ExampleOption_connectRoutingID() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	dealer := must(zctx.NewSocket(zmq.Dealer))
	check(dealer.Bind("inproc://printer"))
	router := must(zctx.NewSocket(zmq.Router))
	check(router.Set(zmq.ConnectRoutingID.To([]byte("printer"))))
	check(router.Connect("inproc://printer"))

	check(router.SendMultipart(ctx, [][]byte{[]byte("printer"), []byte("page 1")}))
	page := must(dealer.RecvString(ctx))
	fmt.Println(page)
	// Output: page 1
}

// A DEALER announces itself to a ROUTER as soon as it is connected.
func ExampleOption_probeRouter() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	router := must(zctx.NewSocket(zmq.Router))
	check(router.Bind("tcp://127.0.0.1:*"))
	endpoint := must(router.LastEndpoint())
	dealer := must(zctx.NewSocket(zmq.Dealer, zmq.ProbeRouter.To(true), zmq.RoutingID.To([]byte("ada"))))
	check(dealer.Connect(endpoint))
	fmt.Printf("%q\n", must(router.RecvMultipart(context.Background())))
	// Output: ["ada" ""]
}

// A new peer takes over the routing id of an older one. A client can therefore return
// before the ROUTER has found its old connection to be broken.
func ExampleOption_routerHandover() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	router := must(zctx.NewSocket(zmq.Router, zmq.RouterHandover.To(true)))
	check(router.Bind("tcp://127.0.0.1:*"))
	endpoint := must(router.LastEndpoint())
	for _, greeting := range []string{"hello", "hello again"} {
		dealer := must(zctx.NewSocket(zmq.Dealer, zmq.RoutingID.To([]byte("ada"))))
		check(dealer.Connect(endpoint))
		check(dealer.SendString(ctx, greeting))
		message := must(router.RecvMultipart(ctx))
		check(router.SendMultipart(ctx, [][]byte{message[0], []byte("welcome, " + string(message[0]))}))
		answer := must(dealer.RecvString(ctx))
		fmt.Printf("%s: %s\n", message[1], answer)
	}
	// Output:
	// hello: welcome, ada
	// hello again: welcome, ada
}

// A REQ sends another request although no reply came. For more than one request at a time
// see package request.
func ExampleOption_reqRelaxed() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	rep := must(zctx.NewSocket(zmq.Rep))
	check(rep.Bind("inproc://forgetful"))
	req := must(zctx.NewSocket(zmq.Req, zmq.ReqRelaxed.To(true), zmq.ReqCorrelate.To(true)))
	check(req.Connect("inproc://forgetful"))

	check(req.SendString(ctx, "first question"))
	check(req.SendString(ctx, "second question")) // drops the first question
	for range 2 {
		question := must(rep.RecvString(ctx))
		check(rep.SendString(ctx, "answer to the "+question))
	}
	answer := must(req.RecvString(ctx)) // the reply to the second question
	fmt.Println(answer)
	// Output: answer to the second question
}

// A ROUTER sends a large reply to a peer without copying it.
func ExampleSocket_SendMessageTo() {
	ctx := context.Background()
	router, dealer, end := connected(zmq.Router, zmq.Dealer)
	defer end()
	check(dealer.SendString(ctx, "the picture, please"))

	request := must(router.RecvMultipart(ctx))
	picture := must(zmq.NewMessage(4 << 20))
	check(router.SendMessageTo(ctx, request[0], picture))
	fmt.Println(len(must(dealer.RecvBytes(ctx))), "bytes")
	// Output: 4194304 bytes
}
