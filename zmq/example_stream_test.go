package zmq_test

import (
	"context"
	"encoding/gob"
	"fmt"
	"log/slog"
	"slices"

	"github.com/go-zmq/go-zmq/zmq"
)

// Go values are sent and received as JSON.
func ExampleSocket_SendJSON() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://orders"))
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://orders"))

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
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://values"))
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://values"))

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
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pub, err := zctx.NewSocket(zmq.XPub)
	check(err)
	check(pub.Bind("inproc://log"))
	sub, err := zctx.NewSocket(zmq.Sub, zmq.Subscribe.To("log."))
	check(err)
	check(sub.Connect("inproc://log"))
	_, err = pub.RecvBytes(ctx) // the subscription
	check(err)

	out := zmq.NewReadWriter(ctx, pub, []byte("log.orders"))
	noTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	logger := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{ReplaceAttr: noTime}))
	logger.Info("placed", "number", 7)

	parts, err := sub.RecvMultipart(ctx)
	check(err)
	fmt.Printf("%s: %s", parts[0], parts[1])
	// Output: log.orders: level=INFO msg=placed number=7
}

// A message is a slice of parts. Go's slice operations replace the methods of a container
// of frames.
func ExampleSocket_SendMultipart_envelope() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	router, err := zctx.NewSocket(zmq.Router)
	check(err)
	check(router.Bind("inproc://envelope"))
	dealer, err := zctx.NewSocket(zmq.Dealer, zmq.RoutingID.To([]byte("worker")))
	check(err)
	check(dealer.Connect("inproc://envelope"))
	check(dealer.SendMultipart(ctx, [][]byte{nil, []byte("ready")}))

	message, err := router.RecvMultipart(ctx)
	check(err)
	id := message[0]                              // read the first part
	message = message[1:]                         // remove it
	message = append(message, []byte("go on"))    // append a part
	message = slices.Insert(message, 1, []byte{}) // insert
	message = slices.Delete(message, 0, 1)        // remove
	for i, part := range message {                // iterate
		fmt.Printf("%d %q\n", i, part)
	}
	check(router.SendMultipart(ctx, append([][]byte{id}, message...))) // put the id in front
	reply, err := dealer.RecvMultipart(ctx)
	check(err)
	fmt.Println(len(reply), "parts for", string(id))
	// Output:
	// 0 ""
	// 1 "ready"
	// 2 "go on"
	// 3 parts for worker
}

// SocketDefaults sets options that apply to every socket of a context.
func ExampleSocketDefaults() {
	zctx, err := zmq.NewContext(zmq.SocketDefaults(zmq.HWM(100), zmq.Linger.To(0)))
	check(err)
	defer zctx.Close()
	s, err := zctx.NewSocket(zmq.Push)
	check(err)
	limit, err := zmq.SendHWM.Get(s)
	check(err)
	fmt.Println(limit)
	// Output: 100
}
