package zmq_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// With DontWait a call fails instead of blocking.
func ExampleFlag() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://impatient"))
	_, err = pull.RecvBytes(ctx, zmq.DontWait)
	fmt.Println("nothing to receive:", errors.Is(err, zmq.ErrAgain))

	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	err = push.SendString(ctx, "hello", zmq.DontWait)
	fmt.Println("no peer to send to:", errors.Is(err, zmq.ErrAgain))
	// Output:
	// nothing to receive: true
	// no peer to send to: true
}

// RecvTimeout limits every receive. A context can end one earlier.
func ExampleOption_recvTimeout() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull, zmq.RecvTimeout.To(10*time.Millisecond))
	check(err)
	check(pull.Bind("inproc://patient"))
	_, err = pull.RecvBytes(context.Background())
	fmt.Println(errors.Is(err, zmq.ErrAgain), errors.Is(err, os.ErrDeadlineExceeded))
	// Output: true true
}

// A send that was cancelled has sent nothing.
func ExampleSocket_SendMultipart_cancel() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	push, err := zctx.NewSocket(zmq.Push) // without a peer it blocks
	check(err)
	check(push.Bind("inproc://orders-out"))

	ctx, cancel := context.WithCancel(context.Background())
	go cancel()
	err = push.SendMultipart(ctx, [][]byte{[]byte("two"), []byte("coffees")})
	fmt.Println(errors.Is(err, context.Canceled))
	// Output: true
}

// A program waits for a message before it receives it.
func ExampleSocket_WaitReadable() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://arrivals"))
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://arrivals"))
	go func() { check(push.SendString(ctx, "an arrival")) }()

	check(pull.WaitReadable(ctx))
	arrival, err := pull.RecvString(ctx, zmq.DontWait)
	check(err)
	fmt.Println(arrival)
	// Output: an arrival
}

// Close ends blocked calls in all goroutines.
func ExampleSocket_Close() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
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
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://service-desk"))

	ended := make(chan error)
	go func() {
		for _, err := range pull.Messages(context.Background()) {
			ended <- err
		}
	}()
	check(zctx.Shutdown())
	fmt.Println(errors.Is(<-ended, zmq.ErrTerminated))
	_, err = zctx.NewSocket(zmq.Push)
	fmt.Println(errors.Is(err, zmq.ErrTerminated))
	// Output:
	// true
	// true
}

// Stats returns counts of what a socket has done.
func ExampleSocket_Stats() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://counted"))
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://counted"))
	for range 10 {
		check(push.SendMultipart(ctx, [][]byte{[]byte("four"), []byte("more")}))
	}
	_, err = pull.RecvMultipart(ctx)
	check(err)

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
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and never answers
	check(err)
	defer silent.Close()
	zctx, err := zmq.NewContext()
	check(err)
	push, err := zctx.NewSocket(zmq.Push, zmq.Linger.To(-1))
	check(err)
	check(push.Connect("tcp://" + silent.Addr().String()))
	check(push.SendString(ctx, "is anybody there?"))

	brief, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	err = zctx.CloseContext(brief)
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
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	s, err := zctx.NewSocket(zmq.Req, zmq.SendTimeout.To(time.Millisecond))
	check(err)
	check(s.Bind("inproc://questions"))

	_, err = s.RecvBytes(ctx)
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
