package zmq_test

import (
	"errors"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

// A ROUTER that says so when it cannot deliver, and why.
func ExampleOption_routerMandatory() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	router, err := ctx.NewSocket(zmq.Router, zmq.RouterMandatory.To(true), zmq.SendHWM.To(1))
	check(err)
	check(router.Bind("inproc://post-office"))
	dealer, err := ctx.NewSocket(zmq.Dealer, zmq.RoutingID.To([]byte("ada")), zmq.RecvHWM.To(1))
	check(err)
	check(dealer.Connect("inproc://post-office"))

	letter := func(to string) error {
		return router.SendMultipart([][]byte{[]byte(to), []byte("a letter")}, zmq.DontWait)
	}
	fmt.Println("nobody of that name:", errors.Is(letter("grace"), zmq.ErrHostUnreachable))
	for err = nil; err == nil; {
		err = letter("ada")
	}
	fmt.Println("the mailbox is full:", errors.Is(err, zmq.ErrAgain))
	// Output:
	// nobody of that name: true
	// the mailbox is full: true
}

// A ROUTER that connects gives the other side a name, and can then speak first.
func ExampleOption_connectRoutingID() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	dealer, err := ctx.NewSocket(zmq.Dealer)
	check(err)
	check(dealer.Bind("inproc://printer"))
	router, err := ctx.NewSocket(zmq.Router)
	check(err)
	check(router.Set(zmq.ConnectRoutingID.To([]byte("printer"))))
	check(router.Connect("inproc://printer"))

	check(router.SendMultipart([][]byte{[]byte("printer"), []byte("page 1")}))
	page, err := dealer.RecvString()
	check(err)
	fmt.Println(page)
	// Output: page 1
}

// A DEALER that makes itself known to a ROUTER as soon as it is connected.
func ExampleOption_probeRouter() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	router, err := ctx.NewSocket(zmq.Router)
	check(err)
	check(router.Bind("tcp://127.0.0.1:*"))
	endpoint, err := router.LastEndpoint()
	check(err)
	dealer, err := ctx.NewSocket(zmq.Dealer, zmq.ProbeRouter.To(true), zmq.RoutingID.To([]byte("ada")))
	check(err)
	check(dealer.Connect(endpoint))
	probe, err := router.RecvMultipart()
	check(err)
	fmt.Printf("%q\n", probe)
	// Output: ["ada" ""]
}

// The peer that comes last with a name gets it: a client that is back before its old
// connection was found to be dead.
func ExampleOption_routerHandover() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	router, err := ctx.NewSocket(zmq.Router, zmq.RouterHandover.To(true))
	check(err)
	check(router.Bind("tcp://127.0.0.1:*"))
	endpoint, err := router.LastEndpoint()
	check(err)
	for _, greeting := range []string{"hello", "hello again"} {
		dealer, err := ctx.NewSocket(zmq.Dealer, zmq.RoutingID.To([]byte("ada")))
		check(err)
		check(dealer.Connect(endpoint))
		check(dealer.SendString(greeting))
		message, err := router.RecvMultipart()
		check(err)
		check(router.SendMultipart([][]byte{message[0], []byte("welcome, " + string(message[0]))}))
		answer, err := dealer.RecvString()
		check(err)
		fmt.Printf("%s: %s\n", message[1], answer)
	}
	// Output:
	// hello: welcome, ada
	// hello again: welcome, ada
}

// A REQ that may ask again though no reply came. For more than one request at a time
// see package request.
func ExampleOption_reqRelaxed() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	rep, err := ctx.NewSocket(zmq.Rep)
	check(err)
	check(rep.Bind("inproc://forgetful"))
	req, err := ctx.NewSocket(zmq.Req, zmq.ReqRelaxed.To(true), zmq.ReqCorrelate.To(true))
	check(err)
	check(req.Connect("inproc://forgetful"))

	check(req.SendString("first question"))
	check(req.SendString("second question")) // the first is given up
	for range 2 {
		question, err := rep.RecvString()
		check(err)
		check(rep.SendString("answer to the " + question))
	}
	answer, err := req.RecvString() // the one that belongs to the request
	check(err)
	fmt.Println(answer)
	// Output: answer to the second question
}

// A large reply goes to a peer of a ROUTER without being copied.
func ExampleSocket_SendMessageTo() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	router, err := ctx.NewSocket(zmq.Router)
	check(err)
	check(router.Bind("inproc://gallery"))
	dealer, err := ctx.NewSocket(zmq.Dealer)
	check(err)
	check(dealer.Connect("inproc://gallery"))
	check(dealer.SendString("the picture, please"))

	request, err := router.RecvMultipart()
	check(err)
	picture, err := zmq.NewMessage(4 << 20)
	check(err)
	check(router.SendMessageTo(request[0], picture))
	reply, err := dealer.RecvBytes()
	check(err)
	fmt.Println(len(reply), "bytes")
	// Output: 4194304 bytes
}
