package zmqtest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zmqtest"
)

// A test of a lost connection, which documents show.
func TestClientSurvivesLostConnection(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	server := zmqtest.NewSocket(t, zctx, zmq.Pull)
	network := zmqtest.NewProxy(t, zmqtest.Bind(t, server, "tcp://127.0.0.1:*"))
	client := zmqtest.NewSocket(t, zctx, zmq.Push)
	events := zmqtest.Monitor(t, client, zmq.EventHandshakeSucceeded|zmq.EventDisconnected)
	if err := client.Connect(network.Endpoint()); err != nil {
		t.Fatal(err)
	}
	zmqtest.Await(t, events, zmq.EventHandshakeSucceeded)
	network.Cut()
	zmqtest.Await(t, events, zmq.EventDisconnected)
	zmqtest.Await(t, events, zmq.EventHandshakeSucceeded) // libzmq has reconnected
	zmqtest.RequireWorks(t, client, server)
}

// greet is a function of a program. It needs no socket of its own.
func greet(ctx context.Context, c zmqtest.Conn, name string) (string, error) {
	if err := c.Send(ctx, []byte("hello "+name)); err != nil {
		return "", err
	}
	reply, err := c.RecvBytes(ctx)
	return string(reply), err
}

// A program that takes a Conn is tested without libzmq.
func ExampleFakePair() {
	ctx := context.Background()
	program, peer := zmqtest.FakePair()
	defer program.Close()
	go func() {
		request, _ := peer.RecvBytes(ctx)
		_ = peer.Send(ctx, append(request, ", and welcome"...))
	}()
	fmt.Println(greet(ctx, program, "Ada"))

	program.Fail(zmq.ErrTerminated)
	_, err := greet(ctx, program, "Ada")
	fmt.Println(err)
	// Output:
	// hello Ada, and welcome <nil>
	// zmq: context was shut down
}
