package zmq_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// A monitor tells what happens to the connections of a socket.
func ExampleSocket_Monitor() {
	ctx, err := zmq.NewContext()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ctx.Close()
	server, _ := ctx.NewSocket(zmq.Rep)
	monitor, err := server.Monitor(zmq.EventListening | zmq.EventHandshakeSucceeded | zmq.EventDisconnected)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer monitor.Close()
	_ = server.Bind("tcp://127.0.0.1:*")
	endpoint, _ := server.LastEndpoint()

	client, _ := ctx.NewSocket(zmq.Req)
	_ = client.Connect(endpoint)
	for event, err := range monitor.Events(context.Background()) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(event.Event, event.Endpoint == endpoint)
		switch event.Event {
		case zmq.EventHandshakeSucceeded:
			_ = client.Close()
		case zmq.EventDisconnected:
			_ = monitor.Close()
		}
	}
	// Output:
	// LISTENING true
	// HANDSHAKE_SUCCEEDED true
	// DISCONNECTED true
}

// Events as records of log/slog.
func ExampleMonitor_Log() {
	ctx, err := zmq.NewContext()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ctx.Close()
	first, _ := ctx.NewSocket(zmq.Pull)
	_ = first.Bind("inproc://monitored")
	second, _ := ctx.NewSocket(zmq.Pull)
	_ = second.Bind("ipc://*")
	monitor, err := second.Monitor(zmq.EventMonitorStopped)
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = second.Close()
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	fmt.Println(monitor.Log(context.Background(), logger))
	// Output:
	// level=INFO msg="zmq connection" event=MONITOR_STOPPED
	// <nil>
}

// Nobody needs to sleep until the peers are there.
func ExampleSocket_WaitConnected() {
	ctx, err := zmq.NewContext()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ctx.Close()
	pull, _ := ctx.NewSocket(zmq.Pull)
	_ = pull.Bind("tcp://127.0.0.1:*")
	endpoint, _ := pull.LastEndpoint()
	for range 3 {
		push, _ := ctx.NewSocket(zmq.Push)
		_ = push.Connect(endpoint)
	}
	patience, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	fmt.Println(pull.WaitConnected(patience, 3))
	// Output: <nil>
}

// The first message that is published is not lost.
func ExampleSocket_WaitSubscribers() {
	ctx, err := zmq.NewContext()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ctx.Close()
	pub, _ := ctx.NewSocket(zmq.Pub)
	_ = pub.Bind("tcp://127.0.0.1:*")
	endpoint, _ := pub.LastEndpoint()

	sub, _ := ctx.NewSocket(zmq.Sub)
	_ = sub.Subscribe("weather")
	_ = sub.Connect(endpoint)

	patience, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := pub.WaitSubscribers(patience, 1); err != nil {
		fmt.Println(err)
		return
	}
	_ = pub.SendString("weather: fair")
	fmt.Println(sub.RecvString())
	// Output: weather: fair <nil>
}
