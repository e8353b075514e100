// Command vendored sends a message to itself over tcp, inproc and tcp with CURVE, and says
// by which libzmq. The lane vendor builds it with a package that cmd/zvendor wrote.
package main

import (
	"context"
	"fmt"
	"log"
	"runtime"

	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	zctx, err := zmq.NewContext()
	check(err)
	exchange(zctx, "tcp://127.0.0.1:*", nil, nil)
	exchange(zctx, "inproc://vendored", nil, nil)
	public, secret, err := zmq.NewCurveKeypair()
	check(err)
	server, client := zmq.AsCurveServer(secret, zmq.AllowAnyClient()), zmq.AsCurveClient(public)
	exchange(zctx, "tcp://127.0.0.1:*", []zmq.Setting{server}, []zmq.Setting{client})
	check(zctx.Close())
	major, minor, patch := zmq.Version()
	fmt.Printf("libzmq %d.%d.%d (%s), %s/%s, guard %v, CURVE %v, drafts %v\n",
		major, minor, patch, zmq.Library(), runtime.GOOS, runtime.GOARCH, zmq.Has("guard"), zmq.Has("curve"), zmq.Has("draft"))
}

// exchange sends a message from a PUSH to a PULL.
func exchange(zctx *zmq.Context, endpoint string, server, client []zmq.Setting) {
	ctx := context.Background()
	pull, err := zctx.NewSocket(zmq.Pull, server...)
	check(err)
	check(pull.Bind(endpoint))
	bound, err := pull.LastEndpoint()
	check(err)
	push, err := zctx.NewSocket(zmq.Push, client...)
	check(err)
	check(push.Connect(bound))
	check(push.SendString(ctx, "hello"))
	text, err := pull.RecvString(ctx)
	check(err)
	if text != "hello" {
		log.Fatalf("%q arrived over %s", text, bound)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
