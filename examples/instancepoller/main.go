// Command instancepoller changes what a poller waits for while it waits: sockets and
// a file descriptor come and go, from any goroutine.
//
//	go run ./instancepoller
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// nothing is ready: []
	// the peer can be written to: Out
	// asked for both: In|Out
	// a pipe that is no socket: In "from a pipe"
	// left: 1
	// added by another goroutine: In
	// woken with nothing ready: []
	// a closed socket is gone: 0
}

func run() error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	left, err := zctx.NewSocket(zmq.Pair)
	if err != nil {
		return err
	}
	if err := left.Bind("inproc://pair"); err != nil {
		return err
	}
	right, err := zctx.NewSocket(zmq.Pair)
	if err != nil {
		return err
	}
	if err := right.Connect("inproc://pair"); err != nil {
		return err
	}

	p, err := poller.New()
	if err != nil {
		return err
	}
	defer p.Close()
	return walk(p, left, right)
}

func walk(p *poller.Poller, left, right *zmq.Socket) error {
	// Waiting for In, with a timeout.
	if err := p.Add(left, poller.In); err != nil {
		return err
	}
	events, err := p.Poll(10 * time.Millisecond)
	if err != nil {
		return err
	}
	fmt.Println("nothing is ready:", events)

	// Update changes what is waited for.
	if err := p.Update(left, poller.Out); err != nil {
		return err
	}
	if events, err = p.Poll(-1); err != nil {
		return err
	}
	fmt.Println("the peer can be written to:", events[0].Events)
	if err := right.SendString(context.Background(), "hello"); err != nil {
		return err
	}
	if err := p.Update(left, poller.In|poller.Out); err != nil {
		return err
	}
	if events, err = p.Poll(-1); err != nil {
		return err
	}
	fmt.Println("asked for both:", events[0].Events)

	if err := pipe(p); err != nil {
		return err
	}

	// A Poll that waits hears of what other goroutines add, and of Wake.
	failed := make(chan error, 1)
	go func() {
		if err := p.Update(left, poller.In); err != nil {
			failed <- err
			return
		}
		failed <- p.Add(right, poller.In)
	}()
	if err := left.SendString(context.Background(), "hello to you"); err != nil {
		return err
	}
	for ready := false; !ready; {
		if events, err = p.Poll(-1); err != nil {
			return err
		}
		for _, event := range events {
			if event.Socket == right {
				fmt.Println("added by another goroutine:", event.Events)
				ready = true
			}
		}
	}
	if err := <-failed; err != nil {
		return err
	}
	for _, s := range []*zmq.Socket{left, right} {
		if _, err := s.RecvString(context.Background(), zmq.DontWait); err != nil {
			return err
		}
	}
	go func() { failed <- p.Wake() }()
	if events, err = p.Poll(-1); err != nil {
		return err
	}
	fmt.Println("woken with nothing ready:", events)

	// Closing a socket removes it.
	if err := left.Close(); err != nil {
		return err
	}
	if err := right.Close(); err != nil {
		return err
	}
	fmt.Println("a closed socket is gone:", p.Len())
	return <-failed
}

// pipe has the poller wait for a descriptor of the system's for a while.
func pipe(p *poller.Poller) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	defer w.Close()
	// Fd would make the pipe a blocking one, which Go could not wait for any more.
	conn, err := r.SyscallConn()
	if err != nil {
		return err
	}
	var fd uintptr
	if err := conn.Control(func(f uintptr) { fd = f }); err != nil {
		return err
	}
	if err := p.AddFD(fd, poller.In); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "from a pipe"); err != nil {
		return err
	}
	events, err := p.Poll(-1)
	if err != nil {
		return err
	}
	for _, event := range events {
		if event.Socket == nil && event.FD == fd {
			text := make([]byte, 100)
			n, err := r.Read(text)
			if err != nil {
				return err
			}
			fmt.Printf("a pipe that is no socket: %v %q\n", event.Events, text[:n])
		}
	}
	if err := p.RemoveFD(fd); err != nil { // before it is closed
		return err
	}
	fmt.Println("left:", p.Len())
	return nil
}
