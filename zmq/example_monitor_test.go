package zmq_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// A monitor reports what happens to the connections of a socket.
func ExampleSocket_Monitor() {
	zctx, err := zmq.NewContext()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer zctx.Close()
	server, _ := zctx.NewSocket(zmq.Rep)
	monitor, err := server.Monitor(zmq.EventListening | zmq.EventHandshakeSucceeded | zmq.EventDisconnected)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer monitor.Close()
	_ = server.Bind("tcp://127.0.0.1:*")
	endpoint, _ := server.LastEndpoint()

	client, _ := zctx.NewSocket(zmq.Req)
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

// A monitor writes its events as records of log/slog.
func ExampleMonitor_Log() {
	zctx, err := zmq.NewContext()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer zctx.Close()
	first, _ := zctx.NewSocket(zmq.Pull)
	_ = first.Bind("inproc://monitored")
	second, _ := zctx.NewSocket(zmq.Pull)
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

// A program waits for its peers without sleeping.
func ExampleSocket_WaitConnected() {
	zctx, err := zmq.NewContext()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer zctx.Close()
	pull, _ := zctx.NewSocket(zmq.Pull)
	_ = pull.Bind("tcp://127.0.0.1:*")
	endpoint, _ := pull.LastEndpoint()
	for range 3 {
		push, _ := zctx.NewSocket(zmq.Push)
		_ = push.Connect(endpoint)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	fmt.Println(pull.WaitConnected(ctx, 3))
	// Output: <nil>
}

// A publisher waits for its subscriber, so its first message is not lost.
func ExampleSocket_WaitSubscribers() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	zctx, err := zmq.NewContext()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer zctx.Close()
	pub, _ := zctx.NewSocket(zmq.Pub, zmq.TrackSubscriptions.To(true))
	_ = pub.Bind("tcp://127.0.0.1:*")
	endpoint, _ := pub.LastEndpoint()

	sub, _ := zctx.NewSocket(zmq.Sub)
	_ = sub.Subscribe("weather")
	_ = sub.Connect(endpoint)

	if err := pub.WaitSubscribers(ctx, 1); err != nil {
		fmt.Println(err)
		return
	}
	_ = pub.SendString(ctx, "weather: fair")
	fmt.Println(sub.RecvString(ctx))
	// Output: weather: fair <nil>
}
