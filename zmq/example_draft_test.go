package zmq_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// These examples need a libzmq with its draft API, and print another line without it;
// so they have no output to compare, and TestDraftExamples runs them.

// A SERVER learns with each message which CLIENT it came from, and answers that one.
func ExampleSocket_SendTo() {
	if !zmq.Has("draft") {
		fmt.Println("this libzmq was built without its draft API")
		return
	}
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	server, err := ctx.NewSocket(zmq.Server)
	check(err)
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint, err := server.LastEndpoint()
	check(err)
	client, err := ctx.NewSocket(zmq.Client)
	check(err)
	check(client.Connect(endpoint))

	check(client.SendString("anyone there?"))
	buf := make([]byte, 100)
	n, id, err := server.RecvFrom(buf)
	check(err)
	check(server.SendTo(id, append([]byte("you asked: "), buf[:n]...)))
	reply, err := client.RecvString()
	check(err)
	fmt.Println(reply) // you asked: anyone there?
}

// A RADIO sends to groups, and a DISH receives from those that it has joined.
func ExampleSocket_SendGroup() {
	if !zmq.Has("draft") {
		fmt.Println("this libzmq was built without its draft API")
		return
	}
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	dish, err := ctx.NewSocket(zmq.Dish)
	check(err)
	check(dish.Bind("tcp://127.0.0.1:*"))
	endpoint, err := dish.LastEndpoint()
	check(err)
	check(dish.Join("weather"))
	radio, err := ctx.NewSocket(zmq.Radio)
	check(err)
	check(radio.Connect(endpoint))

	// What is sent before the RADIO has heard of the Join is dropped, so it is said again.
	check(dish.Set(zmq.RecvTimeout.To(10 * time.Millisecond)))
	for buf := make([]byte, 100); ; {
		check(radio.SendGroup("sports", []byte("the favourite wins")))
		check(radio.SendGroup("weather", []byte("it rains")))
		n, group, err := dish.RecvGroup(buf)
		if errors.Is(err, zmq.ErrAgain) {
			continue
		}
		check(err)
		fmt.Printf("%s: %s\n", group, buf[:n]) // weather: it rains
		return
	}
}

func TestDraftExamples(t *testing.T) {
	if hasDrafts(t, zmq.Server, zmq.Client, zmq.Radio, zmq.Dish) {
		ExampleSocket_SendTo()
		ExampleSocket_SendGroup()
	}
}
