package zmq_test

import (
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// A monitor reports what happens to the connections of a socket.
func ExampleSocket_Monitor() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	server := must(zctx.NewSocket(zmq.Rep))
	monitor := must(server.Monitor(zmq.EventListening | zmq.EventHandshakeSucceeded | zmq.EventDisconnected))
	defer monitor.Close()
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint := must(server.LastEndpoint())

	client := must(zctx.NewSocket(zmq.Req))
	check(client.Connect(endpoint))
	for event, err := range monitor.Events(context.Background()) {
		check(err)
		fmt.Println(event.Event, event.Endpoint == endpoint)
		switch event.Event {
		case zmq.EventHandshakeSucceeded:
			check(client.Close())
		case zmq.EventDisconnected:
			check(monitor.Close())
		}
	}
	// Output:
	// LISTENING true
	// HANDSHAKE_SUCCEEDED true
	// DISCONNECTED true
}

// A monitor writes its events as records of log/slog.
func ExampleMonitor_Log() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	pull := must(zctx.NewSocket(zmq.Pull))
	check(pull.Bind("ipc://*"))
	monitor := must(pull.Monitor(zmq.EventMonitorStopped))
	check(pull.Close())
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	fmt.Println(monitor.Log(context.Background(), logger))
	// Output:
	// level=INFO msg="zmq connection" event=MONITOR_STOPPED
	// <nil>
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// A program waits for its peers without sleeping.
func ExampleSocket_WaitConnected() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	pull := must(zctx.NewSocket(zmq.Pull))
	check(pull.Bind("tcp://127.0.0.1:*"))
	for range 3 {
		push := must(zctx.NewSocket(zmq.Push))
		check(push.Connect(must(pull.LastEndpoint())))
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
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	pub := must(zctx.NewSocket(zmq.Pub, zmq.TrackSubscriptions.To(true)))
	check(pub.Bind("tcp://127.0.0.1:*"))
	sub := must(zctx.NewSocket(zmq.Sub, zmq.Subscribe.To("weather")))
	check(sub.Connect(must(pub.LastEndpoint())))

	check(pub.WaitSubscribers(ctx, 1))
	check(pub.SendString(ctx, "weather: fair"))
	fmt.Println(sub.RecvString(ctx))
	// Output: weather: fair <nil>
}

// A subscriber does not receive. With DropCounted the publisher counts the dropped
// messages, with Fail it returns an error.
func ExampleSocket_Stats_dropped() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	pub := must(zctx.NewSocket(zmq.Pub, zmq.SendHWM.To(10), zmq.WhenFull.To(zmq.DropCounted)))
	check(pub.Bind("inproc://readings"))
	sub := must(zctx.NewSocket(zmq.Sub, zmq.RecvHWM.To(10)))
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
	_, push, end := connected(zmq.Pull, zmq.Push)
	defer end()
	sockets.Set("orders", expvar.Func(func() any { return push.Stats() }))

	check(push.SendString(ctx, "an order"))
	check(push.SendString(ctx, "another order"))

	var served map[string]zmq.Stats // as an HTTP client of /debug/vars reads it
	check(json.Unmarshal([]byte(sockets.String()), &served))
	fmt.Println(served["orders"].MessagesSent, "messages,", served["orders"].BytesSent, "bytes")
	// Output: 2 messages, 21 bytes
}

// With DontWait a call fails instead of blocking.
func ExampleFlag() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	pull := must(zctx.NewSocket(zmq.Pull))
	check(pull.Bind("inproc://impatient"))
	_, err := pull.RecvBytes(ctx, zmq.DontWait)
	fmt.Println("nothing to receive:", errors.Is(err, zmq.ErrAgain))

	push := must(zctx.NewSocket(zmq.Push))
	err = push.SendString(ctx, "hello", zmq.DontWait)
	fmt.Println("no peer to send to:", errors.Is(err, zmq.ErrAgain))
	// Output:
	// nothing to receive: true
	// no peer to send to: true
}

// RecvTimeout limits every receive. A context can end one earlier.
func ExampleOption_recvTimeout() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	pull := must(zctx.NewSocket(zmq.Pull, zmq.RecvTimeout.To(10*time.Millisecond)))
	check(pull.Bind("inproc://patient"))
	_, err := pull.RecvBytes(context.Background())
	fmt.Println(errors.Is(err, zmq.ErrAgain), errors.Is(err, os.ErrDeadlineExceeded))
	// Output: true true
}

// A send that was cancelled has sent nothing.
func ExampleSocket_SendMultipart_cancel() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	push := must(zctx.NewSocket(zmq.Push)) // without a peer it blocks
	check(push.Bind("inproc://orders-out"))

	ctx, cancel := context.WithCancel(context.Background())
	go cancel()
	err := push.SendMultipart(ctx, [][]byte{[]byte("two"), []byte("coffees")})
	fmt.Println(errors.Is(err, context.Canceled))
	// Output: true
}

// A program waits for a message before it receives it.
func ExampleSocket_WaitReadable() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	pull, push, end := connected(zmq.Pull, zmq.Push)
	defer end()
	go func() { check(push.SendString(ctx, "an arrival")) }()

	check(pull.WaitReadable(ctx))
	arrival := must(pull.RecvString(ctx, zmq.DontWait))
	fmt.Println(arrival)
	// Output: an arrival
}

// Close ends blocked calls in all goroutines.
func ExampleSocket_Close() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	pull := must(zctx.NewSocket(zmq.Pull))
	check(pull.Bind("inproc://open"))

	ended := make(chan error)
	go func() {
		_, err := pull.RecvBytes(context.Background())
		ended <- err
	}()
	check(pull.Close())
	fmt.Println(errors.Is(<-ended, zmq.ErrClosed))
	check(pull.Close()) // further calls do nothing
	// Output: true
}

// Shutdown ends blocked calls. Each user of a socket still has to close it.
func ExampleContext_Shutdown() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	pull := must(zctx.NewSocket(zmq.Pull))
	check(pull.Bind("inproc://service-desk"))

	ended := make(chan error)
	go func() {
		for _, err := range pull.Messages(context.Background()) {
			ended <- err
		}
	}()
	check(zctx.Shutdown())
	fmt.Println(errors.Is(<-ended, zmq.ErrTerminated))
	_, err := zctx.NewSocket(zmq.Push)
	fmt.Println(errors.Is(err, zmq.ErrTerminated))
	// Output:
	// true
	// true
}

// Stats returns counts of what a socket has done.
func ExampleSocket_Stats() {
	ctx := context.Background()
	pull, push, end := connected(zmq.Pull, zmq.Push)
	defer end()
	for range 10 {
		check(push.SendMultipart(ctx, [][]byte{[]byte("four"), []byte("more")}))
	}
	_ = must(pull.RecvMultipart(ctx))

	sent, received := push.Stats(), pull.Stats()
	fmt.Println(sent.MessagesSent, "messages,", sent.PartsSent, "parts,", sent.BytesSent, "bytes sent")
	fmt.Println(received.MessagesReceived, "message received")
	// Output:
	// 10 messages, 20 parts, 80 bytes sent
	// 1 message received
}

// Close waits for unsent messages. CloseContext limits that time, and its error names the
// sockets that still had some.
func ExampleContext_CloseContext() {
	ctx := context.Background()
	silent := must(net.Listen("tcp", "127.0.0.1:0")) // accepts connections and never answers
	defer silent.Close()
	zctx := must(zmq.NewContext())
	push := must(zctx.NewSocket(zmq.Push, zmq.Linger.To(-1)))
	check(push.Connect("tcp://" + silent.Addr().String()))
	check(push.SendString(ctx, "is anybody there?"))

	brief, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	err := zctx.CloseContext(brief)
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	fmt.Println(strings.Contains(err.Error(), "PUSH tcp://127.0.0.1:"))
	check(zctx.Close()) // waits for the rest in the background
	// Output:
	// true
	// true
}

// errors.Is finds the errors of this package and of the standard library.
func ExampleError() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	s := must(zctx.NewSocket(zmq.Req, zmq.SendTimeout.To(time.Millisecond)))
	check(s.Bind("inproc://questions"))

	_, err := s.RecvBytes(ctx)
	fmt.Println("receive before send:", errors.Is(err, zmq.ErrState))
	err = s.SendString(ctx, "question", zmq.DontWait)
	fmt.Println("no peer to send to:", errors.Is(err, zmq.ErrAgain))
	err = s.SendString(ctx, "question")
	fmt.Println("timeout:", errors.Is(err, os.ErrDeadlineExceeded))

	check(s.Close())
	err = s.SendString(ctx, "question")
	fmt.Println("closed:", errors.Is(err, zmq.ErrClosed), errors.Is(err, net.ErrClosed))
	var e *zmq.Error
	if errors.As(err, &e) {
		fmt.Println("operation:", e.Op)
	}
	// Output:
	// receive before send: true
	// no peer to send to: true
	// timeout: true
	// closed: true true
	// operation: send
}
