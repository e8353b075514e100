// Command hello sends a message to itself and says by which libzmq, to show that a
// build of the binding runs.
package main

import (
	"context"
	"fmt"
	"log"
	"runtime"

	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("tcp://127.0.0.1:*"))
	endpoint, err := pull.LastEndpoint()
	check(err)
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect(endpoint))
	check(push.SendString(ctx, "hello"))
	text, err := pull.RecvString(ctx)
	check(err)
	check(zctx.Close())
	major, minor, patch := zmq.Version()
	fmt.Printf("%s from %s/%s, libzmq %d.%d.%d\n", text, runtime.GOOS, runtime.GOARCH, major, minor, patch)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
