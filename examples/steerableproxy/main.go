// Command steerableproxy pauses a proxy, lets it go on, asks it what it has moved, and
// ends it.
//
//	go run ./steerableproxy
//
// Its methods may be called from any goroutine: it needs no control socket.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// running: 100 messages arrived
	// moved 100 messages of 900 bytes
	// paused: nothing arrives
	// resumed: 10 messages arrived
	// moved 110 messages of 990 bytes
	// terminated: Run returned <nil>
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()

	// source -> front, proxy, back -> sink
	source, front, err := connected(zctx, zmq.Push, zmq.Pull)
	if err != nil {
		return err
	}
	back, sink, err := connected(zctx, zmq.Push, zmq.Pull)
	if err != nil {
		return err
	}
	proxy, err := zmq.NewSteerableProxy(front, back, nil)
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		err := proxy.Run(ctx)
		fmt.Println("terminated: Run returned", err)
		return err
	})
	g.Go(func() error {
		if err := steer(ctx, proxy, source, sink); err != nil {
			return err
		}
		return proxy.Terminate()
	})
	return g.Wait()
}

func steer(ctx context.Context, proxy *zmq.SteerableProxy, source, sink *zmq.Socket) error {
	if err := send(ctx, source, 100); err != nil {
		return err
	}
	if err := receive(ctx, sink, 100); err != nil {
		return err
	}
	fmt.Println("running: 100 messages arrived")
	if err := tell(proxy); err != nil {
		return err
	}

	// When Pause has returned nothing moves, so nothing can have arrived.
	if err := proxy.Pause(); err != nil {
		return err
	}
	if err := send(ctx, source, 10); err != nil {
		return err
	}
	if _, err := sink.RecvBytes(context.Background(), zmq.DontWait); !errors.Is(err, zmq.ErrAgain) {
		return fmt.Errorf("from a proxy that is paused: %w", err)
	}
	fmt.Println("paused: nothing arrives")

	if err := proxy.Resume(); err != nil {
		return err
	}
	if err := receive(ctx, sink, 10); err != nil {
		return err
	}
	fmt.Println("resumed: 10 messages arrived")
	return tell(proxy)
}

// tell prints what the proxy has moved. A message that has arrived is in it.
func tell(proxy *zmq.SteerableProxy) error {
	moved, err := proxy.Statistics()
	if err != nil {
		return err
	}
	fmt.Println("moved", moved.Backend.MessagesSent, "messages of", moved.Backend.BytesSent, "bytes")
	return nil
}

// connected returns two sockets that are connected over tcp; the second is bound.
func connected(zctx *zmq.Context, fromType, toType zmq.SocketType) (from, to *zmq.Socket, err error) {
	if to, err = zctx.NewSocket(toType); err != nil {
		return nil, nil, err
	}
	if err := to.Bind("tcp://127.0.0.1:*"); err != nil {
		return nil, nil, err
	}
	endpoint, err := to.LastEndpoint()
	if err != nil {
		return nil, nil, err
	}
	if from, err = zctx.NewSocket(fromType); err != nil {
		return nil, nil, err
	}
	return from, to, from.Connect(endpoint)
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
