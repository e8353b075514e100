package zmq_test

import (
	"context"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

func ExampleProxy() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()

	// The broker: clients on one side, workers on the other.
	clients, err := zctx.NewSocket(zmq.Router)
	check(err)
	check(clients.Bind("inproc://clients"))
	workers, err := zctx.NewSocket(zmq.Dealer)
	check(err)
	check(workers.Bind("inproc://workers"))
	stop, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- zmq.Proxy(stop, clients, workers, nil) }()

	worker, err := zctx.NewSocket(zmq.Rep)
	check(err)
	check(worker.Connect("inproc://workers"))
	go func() {
		for {
			name, err := worker.RecvString(context.Background())
			if err != nil {
				return // the context is closed
			}
			check(worker.SendString(context.Background(), "hello, "+name))
		}
	}()

	client, err := zctx.NewSocket(zmq.Req)
	check(err)
	check(client.Connect("inproc://clients"))
	check(client.SendString(context.Background(), "Ada"))
	reply, err := client.RecvString(context.Background())
	check(err)
	fmt.Println(reply)

	cancel()
	fmt.Println(<-ended)
	// Output:
	// hello, Ada
	// zmq: proxy: context canceled
}

func ExampleSteerableProxy() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	open := func(t zmq.SocketType) *zmq.Socket {
		s, err := zctx.NewSocket(t)
		check(err)
		return s
	}
	in, out := open(zmq.Pull), open(zmq.Push)
	check(in.Bind("inproc://in"))
	check(out.Bind("inproc://out"))
	producer, consumer := open(zmq.Push), open(zmq.Pull)
	check(producer.Connect("inproc://in"))
	check(consumer.Connect("inproc://out"))

	p, err := zmq.NewSteerableProxy(in, out, nil)
	check(err)
	ended := make(chan error)
	go func() { ended <- p.Run(context.Background()) }()

	check(p.Pause())
	check(producer.SendString(context.Background(), "work"))
	_, err = consumer.RecvString(context.Background(), zmq.DontWait)
	fmt.Println("paused:", err)
	check(p.Resume())
	work, err := consumer.RecvString(context.Background())
	check(err)
	fmt.Println("resumed:", work)

	s, err := p.Statistics()
	check(err)
	fmt.Println("messages:", s.Frontend.MessagesReceived, "in,", s.Backend.MessagesSent, "out")
	check(p.Terminate())
	fmt.Println("ended:", <-ended)
	// Output:
	// paused: zmq: recv: resource temporarily unavailable
	// resumed: work
	// messages: 1 in, 1 out
	// ended: <nil>
}
