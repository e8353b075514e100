// Command steerableproxy pauses a proxy, resumes it, reads its statistics and ends it.
//
//	go run ./steerableproxy
//
// Any goroutine may call the methods, so there is no control socket.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	demo.Run(run)
	// Output:
	// running: 100 messages arrived
	// forwarded 100 messages of 900 bytes
	// paused: no message arrives
	// resumed: 10 messages arrived
	// forwarded 110 messages of 990 bytes
	// terminated: Run returned <nil>
}

func run(ctx context.Context, d *demo.Demo) error {
	// source -> front, proxy, back -> sink
	front, frontAt := d.Bind(zmq.Pull, demo.AnyPort)
	sink, sinkAt := d.Bind(zmq.Pull, demo.AnyPort)
	source, back := d.Connect(zmq.Push, frontAt), d.Connect(zmq.Push, sinkAt)
	proxy, err := zmq.NewSteerableProxy(front, back, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- proxy.Run(ctx) }()

	if err := send(ctx, source, 100); err != nil {
		return err
	}
	if err := receive(ctx, sink, 100); err != nil {
		return err
	}
	fmt.Println("running: 100 messages arrived")
	if err := statistics(proxy); err != nil {
		return err
	}
	if err := proxy.Pause(); err != nil {
		return err
	}
	if err := send(ctx, source, 10); err != nil {
		return err
	}
	// After Pause has returned, the proxy forwards nothing.
	if _, err := sink.RecvBytes(ctx, zmq.DontWait); !errors.Is(err, zmq.ErrAgain) {
		return fmt.Errorf("message from a paused proxy: %w", err)
	}
	fmt.Println("paused: no message arrives")
	if err := proxy.Resume(); err != nil {
		return err
	}
	if err := receive(ctx, sink, 10); err != nil {
		return err
	}
	fmt.Println("resumed: 10 messages arrived")
	if err := statistics(proxy); err != nil {
		return err
	}
	if err := proxy.Terminate(); err != nil {
		return err
	}
	fmt.Println("terminated: Run returned", <-ended)
	return nil
}

func send(ctx context.Context, s *zmq.Socket, n int) error {
	for range n {
		if err := s.SendString(ctx, "a message"); err != nil {
			return err
		}
	}
	return nil
}

func receive(ctx context.Context, s *zmq.Socket, n int) error {
	for range n {
		if _, err := s.RecvBytes(ctx); err != nil {
			return err
		}
	}
	return nil
}

// statistics prints what the proxy has forwarded, including messages that have arrived.
func statistics(proxy *zmq.SteerableProxy) error {
	forwarded, err := proxy.Statistics()
	if err != nil {
		return err
	}
	fmt.Println("forwarded", forwarded.Backend.MessagesSent, "messages of", forwarded.Backend.BytesSent, "bytes")
	return nil
}
