package zmq_test

import (
	"context"
	"encoding/gob"
	"fmt"
	"log/slog"
	"slices"

	"github.com/go-zmq/go-zmq/zmq"
)

// Where a wildcard is bound, BindAny says where that is, and defer undoes it.
func ExampleSocket_BindAny() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	server, err := ctx.NewSocket(zmq.Rep)
	check(err)
	func() {
		endpoint, err := server.BindAny("tcp://127.0.0.1:*")
		check(err)
		defer server.Unbind(endpoint)
		client, err := ctx.NewSocket(zmq.Req)
		check(err)
		check(client.Connect(endpoint))
		check(client.SendString("ping"))
		text, err := server.RecvString()
		check(err)
		fmt.Println(text)
	}() // nothing is bound any more
	// Output: ping
}

func ExampleSocket_SendJSON() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pull, err := ctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://orders"))
	push, err := ctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://orders"))

	type order struct{ Item string }
	check(push.SendJSON(order{"nut"}))
	var o order
	check(pull.RecvJSON(&o))
	fmt.Println(o.Item)
	// Output: nut
}

// A stream of Go values over a socket.
func ExampleNewReadWriter() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pull, err := ctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://values"))
	push, err := ctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://values"))

	encoder := gob.NewEncoder(zmq.NewReadWriter(context.Background(), push))
	check(encoder.Encode([]int{1, 2, 3}))
	var values []int
	decoder := gob.NewDecoder(zmq.NewReadWriter(context.Background(), pull))
	check(decoder.Decode(&values))
	fmt.Println(values)
	// Output: [1 2 3]
}

// Log records for whoever subscribes to them.
func ExampleNewReadWriter_logging() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pub, err := ctx.NewSocket(zmq.XPub)
	check(err)
	check(pub.Bind("inproc://log"))
	sub, err := ctx.NewSocket(zmq.Sub, zmq.Subscribe.To("log."))
	check(err)
	check(sub.Connect("inproc://log"))
	_, err = pub.RecvBytes() // the subscription
	check(err)

	out := zmq.NewReadWriter(context.Background(), pub, []byte("log.orders"))
	noTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	logger := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{ReplaceAttr: noTime}))
	logger.Info("placed", "number", 7)

	parts, err := sub.RecvMultipart()
	check(err)
	fmt.Printf("%s: %s", parts[0], parts[1])
	// Output: log.orders: level=INFO msg=placed number=7
}

// A message is a slice of parts: what a container of frames would have methods for,
// Go's slices do.
func ExampleSocket_SendMultipart_envelope() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	router, err := ctx.NewSocket(zmq.Router)
	check(err)
	check(router.Bind("inproc://envelope"))
	dealer, err := ctx.NewSocket(zmq.Dealer, zmq.RoutingID.To([]byte("worker")))
	check(err)
	check(dealer.Connect("inproc://envelope"))
	check(dealer.SendMultipart([][]byte{nil, []byte("ready")}))

	message, err := router.RecvMultipart()
	check(err)
	id := message[0]                              // peek at the first
	message = message[1:]                         // pop it
	message = append(message, []byte("go on"))    // push at the end
	message = slices.Insert(message, 1, []byte{}) // insert
	message = slices.Delete(message, 0, 1)        // remove
	for i, part := range message {                // iterate
		fmt.Printf("%d %q\n", i, part)
	}
	check(router.SendMultipart(append([][]byte{id}, message...))) // push in front
	reply, err := dealer.RecvMultipart()
	check(err)
	fmt.Println(len(reply), "parts for", string(id))
	// Output:
	// 0 ""
	// 1 "ready"
	// 2 "go on"
	// 3 parts for worker
}

// Options that every socket of a context begins with.
func ExampleSocketDefaults() {
	ctx, err := zmq.NewContext(zmq.SocketDefaults(zmq.HWM(100), zmq.Linger.To(0)))
	check(err)
	defer ctx.Close()
	s, err := ctx.NewSocket(zmq.Push)
	check(err)
	limit, err := zmq.SendHWM.Get(s)
	check(err)
	fmt.Println(limit)
	// Output: 100
}
