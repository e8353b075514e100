package zmq_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

// A ROUTER with RouterMandatory returns an error when it cannot deliver a message.
func ExampleOption_routerMandatory() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	router, err := zctx.NewSocket(zmq.Router, zmq.RouterMandatory.To(true), zmq.SendHWM.To(1))
	check(err)
	check(router.Bind("inproc://post-office"))
	dealer, err := zctx.NewSocket(zmq.Dealer, zmq.RoutingID.To([]byte("ada")), zmq.RecvHWM.To(1))
	check(err)
	check(dealer.Connect("inproc://post-office"))

	letter := func(to string) error {
		return router.SendMultipart(context.Background(), [][]byte{[]byte(to), []byte("a letter")}, zmq.DontWait)
	}
	fmt.Println("no peer with that id:", errors.Is(letter("grace"), zmq.ErrHostUnreachable))
	for err = nil; err == nil; {
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
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	dealer, err := zctx.NewSocket(zmq.Dealer)
	check(err)
	check(dealer.Bind("inproc://printer"))
	router, err := zctx.NewSocket(zmq.Router)
	check(err)
	check(router.Set(zmq.ConnectRoutingID.To([]byte("printer"))))
	check(router.Connect("inproc://printer"))

	check(router.SendMultipart(ctx, [][]byte{[]byte("printer"), []byte("page 1")}))
	page, err := dealer.RecvString(ctx)
	check(err)
	fmt.Println(page)
	// Output: page 1
}

// A DEALER announces itself to a ROUTER as soon as it is connected.
func ExampleOption_probeRouter() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	router, err := zctx.NewSocket(zmq.Router)
	check(err)
	check(router.Bind("tcp://127.0.0.1:*"))
	endpoint, err := router.LastEndpoint()
	check(err)
	dealer, err := zctx.NewSocket(zmq.Dealer, zmq.ProbeRouter.To(true), zmq.RoutingID.To([]byte("ada")))
	check(err)
	check(dealer.Connect(endpoint))
	probe, err := router.RecvMultipart(context.Background())
	check(err)
	fmt.Printf("%q\n", probe)
	// Output: ["ada" ""]
}

// A new peer takes over the routing id of an older one. A client can therefore return
// before the ROUTER has found its old connection to be broken.
func ExampleOption_routerHandover() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	router, err := zctx.NewSocket(zmq.Router, zmq.RouterHandover.To(true))
	check(err)
	check(router.Bind("tcp://127.0.0.1:*"))
	endpoint, err := router.LastEndpoint()
	check(err)
	for _, greeting := range []string{"hello", "hello again"} {
		dealer, err := zctx.NewSocket(zmq.Dealer, zmq.RoutingID.To([]byte("ada")))
		check(err)
		check(dealer.Connect(endpoint))
		check(dealer.SendString(ctx, greeting))
		message, err := router.RecvMultipart(ctx)
		check(err)
		check(router.SendMultipart(ctx, [][]byte{message[0], []byte("welcome, " + string(message[0]))}))
		answer, err := dealer.RecvString(ctx)
		check(err)
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
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	rep, err := zctx.NewSocket(zmq.Rep)
	check(err)
	check(rep.Bind("inproc://forgetful"))
	req, err := zctx.NewSocket(zmq.Req, zmq.ReqRelaxed.To(true), zmq.ReqCorrelate.To(true))
	check(err)
	check(req.Connect("inproc://forgetful"))

	check(req.SendString(ctx, "first question"))
	check(req.SendString(ctx, "second question")) // drops the first question
	for range 2 {
		question, err := rep.RecvString(ctx)
		check(err)
		check(rep.SendString(ctx, "answer to the "+question))
	}
	answer, err := req.RecvString(ctx) // the reply to the second question
	check(err)
	fmt.Println(answer)
	// Output: answer to the second question
}

// A ROUTER sends a large reply to a peer without copying it.
func ExampleSocket_SendMessageTo() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	router, err := zctx.NewSocket(zmq.Router)
	check(err)
	check(router.Bind("inproc://gallery"))
	dealer, err := zctx.NewSocket(zmq.Dealer)
	check(err)
	check(dealer.Connect("inproc://gallery"))
	check(dealer.SendString(ctx, "the picture, please"))

	request, err := router.RecvMultipart(ctx)
	check(err)
	picture, err := zmq.NewMessage(4 << 20)
	check(err)
	check(router.SendMessageTo(ctx, request[0], picture))
	reply, err := dealer.RecvBytes(ctx)
	check(err)
	fmt.Println(len(reply), "bytes")
	// Output: 4194304 bytes
}
