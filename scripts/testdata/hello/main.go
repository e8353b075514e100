// Command hello sends a message to itself and says by which libzmq, to show that a
// build of the binding runs.
package main

import (
	"fmt"
	"log"
	"runtime"

	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	c, err := zmq.NewContext()
	check(err)
	pull, err := c.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("tcp://127.0.0.1:*"))
	endpoint, err := pull.LastEndpoint()
	check(err)
	push, err := c.NewSocket(zmq.Push)
	check(err)
	check(push.Connect(endpoint))
	check(push.SendString("hello"))
	text, err := pull.RecvString()
	check(err)
	check(c.Close())
	major, minor, patch := zmq.Version()
	fmt.Printf("%s from %s/%s, libzmq %d.%d.%d\n", text, runtime.GOOS, runtime.GOARCH, major, minor, patch)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
