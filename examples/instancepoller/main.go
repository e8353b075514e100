// Command instancepoller changes the sockets and descriptors of a poller, also from other
// goroutines while the poller waits.
//
//	go run ./instancepoller
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	demo.Run(run)
	// Output:
	// nothing is ready: []
	// after Update: Out
	// a pipe: In "from a pipe"
	// added by another goroutine: In
	// after Close of one socket: 1 left
}

func run(ctx context.Context, d *demo.Demo) error {
	left, _ := d.Bind(zmq.Pair, "inproc://pair")
	right := d.Connect(zmq.Pair, "inproc://pair")
	p, err := poller.New()
	if err != nil {
		return err
	}
	defer p.Close()

	if err := p.Add(left, poller.In); err != nil {
		return err
	}
	events, err := p.Poll(10 * time.Millisecond)
	if err != nil {
		return err
	}
	fmt.Println("nothing is ready:", events)

	if err := p.Update(left, poller.Out); err != nil {
		return err
	}
	if events, err = p.Wait(ctx); err != nil {
		return err
	}
	fmt.Println("after Update:", events[0].Events)

	if err := p.Update(left, 0); err != nil { // paused
		return err
	}
	if err := pipe(ctx, p); err != nil {
		return err
	}

	// The Wait below sees the socket that the other goroutine adds.
	d.Go(func() error {
		if err := left.SendString(ctx, "hello"); err != nil {
			return err
		}
		return p.Add(right, poller.In)
	})
	if events, err = p.Wait(ctx); err != nil {
		return err
	}
	fmt.Println("added by another goroutine:", events[0].Events)

	if err := right.Close(); err != nil {
		return err
	}
	fmt.Println("after Close of one socket:", p.Len(), "left")
	return nil
}

// pipe waits for a file descriptor.
func pipe(ctx context.Context, p *poller.Poller) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	defer w.Close()
	if err := p.AddFD(r.Fd(), poller.In); err != nil {
		return err
	}
	if _, err := w.WriteString("from a pipe"); err != nil {
		return err
	}
	events, err := p.Wait(ctx)
	if err != nil {
		return err
	}
	text := make([]byte, 100)
	n, err := r.Read(text)
	if err != nil {
		return err
	}
	fmt.Printf("a pipe: %v %q\n", events[0].Events, text[:n])
	return p.RemoveFD(events[0].FD) // before the descriptor is closed
}
