package zmq_test

import (
	"context"
	"encoding/json"
	"expvar"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

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
