package poller_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// check keeps the examples short. A program handles its errors where they happen.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A Poller waits for a pipe like for a socket.
func ExamplePoller_AddFD() {
	r, w, err := os.Pipe()
	check(err)
	defer r.Close()
	defer w.Close()
	var fd uintptr
	conn, err := r.SyscallConn() // File.Fd would make the pipe a blocking one
	check(err)
	check(conn.Control(func(f uintptr) { fd = f }))

	p, err := poller.New()
	check(err)
	defer p.Close()
	check(p.AddFD(fd, poller.In))
	_, err = w.WriteString("from a pipe")
	check(err)
	events, err := p.Poll(-1)
	check(err)
	text := make([]byte, 100)
	n, err := r.Read(text)
	check(err)
	fmt.Printf("%v: %s\n", events[0].Events, text[:n])
	check(p.RemoveFD(fd)) // before the pipe is closed
	// Output: In: from a pipe
}

// The program waits for Out only while it has something to send. Otherwise Out would be
// reported all the time.
func ExamplePoller_Update() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	left, err := zctx.NewSocket(zmq.Pair)
	check(err)
	check(left.Bind("inproc://update"))
	right, err := zctx.NewSocket(zmq.Pair)
	check(err)
	check(right.Connect("inproc://update"))

	p, err := poller.New()
	check(err)
	defer p.Close()
	check(p.Add(left, poller.In|poller.Out))
	for {
		events, err := p.Poll(-1)
		check(err)
		if events[0].Events&poller.Out != 0 {
			check(left.SendString(ctx, "hello"))
			check(p.Update(left, poller.In))
			check(right.SendString(ctx, "hello to you"))
		}
		if events[0].Events&poller.In != 0 {
			answer, err := left.RecvString(ctx, zmq.DontWait)
			check(err)
			fmt.Println(answer)
			return
		}
	}
	// Output: hello to you
}

// A timer stops the Reactor when no message arrives for a while. Each message restarts
// the timer.
func ExampleReactor_After() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://after"))
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://after"))
	check(push.SendString(ctx, "a sign of life"))

	r, err := poller.NewReactor()
	check(err)
	defer r.Close()
	silence := errors.New("nothing came for a while")
	giveUp := func() error { return silence }
	timer, err := r.After(time.Minute, giveUp)
	check(err)
	check(r.Handle(pull, poller.In, func(poller.Event) error {
		text, err := pull.RecvString(ctx, zmq.DontWait)
		if err != nil {
			return err
		}
		fmt.Println(text)
		timer.Cancel()
		timer, err = r.After(10*time.Millisecond, giveUp)
		return err
	}))
	fmt.Println(r.Run(ctx))
	// Output:
	// a sign of life
	// nothing came for a while
}
