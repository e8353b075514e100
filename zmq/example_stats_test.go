package zmq_test

import (
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

// A subscriber does not receive. With DropCounted the publisher counts the dropped
// messages, with Fail it returns an error.
func ExampleSocket_Stats_dropped() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pub, err := zctx.NewSocket(zmq.Pub, zmq.SendHWM.To(10), zmq.WhenFull.To(zmq.DropCounted))
	check(err)
	check(pub.Bind("inproc://readings"))
	sub, err := zctx.NewSocket(zmq.Sub, zmq.RecvHWM.To(10))
	check(err)
	check(sub.Subscribe(""))
	check(sub.Connect("inproc://readings"))

	for range 100 {
		check(pub.SendString(ctx, "21 °C"))
	}
	fmt.Println("dropped:", pub.Stats().Dropped)

	check(pub.Set(zmq.WhenFull.To(zmq.Fail)))
	fmt.Println("full:", errors.Is(pub.SendString(ctx, "21 °C"), zmq.ErrAgain))
	// Output:
	// dropped: 80
	// full: true
}

// sockets is served under /debug/vars by package expvar, with an entry for each socket.
var sockets = expvar.NewMap("sockets")

// A program publishes the counters of a socket with package expvar.
func ExampleSocket_Stats_expvar() {
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
	sockets.Set("orders", expvar.Func(func() any { return push.Stats() }))

	check(push.SendString(ctx, "an order"))
	check(push.SendString(ctx, "another order"))

	var served map[string]zmq.Stats // as an HTTP client of /debug/vars reads it
	check(json.Unmarshal([]byte(sockets.String()), &served))
	fmt.Println(served["orders"].MessagesSent, "messages,", served["orders"].BytesSent, "bytes")
	// Output: 2 messages, 21 bytes
}
