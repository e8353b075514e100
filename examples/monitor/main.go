// Command monitor watches a hub's connections: who comes, who goes, and who was never
// let in.
//
//	go run ./monitor
//
// A monitor is read when there is time: what happens waits in a queue, and nothing is
// held up. A second one, for the log, writes all events to standard error.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// LISTENING
	// ACCEPTED
	// HANDSHAKE_SUCCEEDED
	// ACCEPTED
	// HANDSHAKE_SUCCEEDED
	// the hub has 2 connections, and greetings from [spoke-0 spoke-1]
	// DISCONNECTED
	// the hub has 1 connection
	// ACCEPTED
	// HANDSHAKE_FAILED_NO_DETAIL
	// the hub has 1 connection
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	hub, err := zctx.NewSocket(zmq.Router)
	if err != nil {
		return err
	}
	everything, err := hub.Monitor(zmq.EventAll)
	if err != nil {
		return err
	}
	var g errgroup.Group
	g.Go(func() error {
		return everything.Log(ctx, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	})
	if err := watch(ctx, zctx, hub); err != nil {
		return err
	}
	// A monitor ends with its socket, and so does what reads it.
	if err := hub.Close(); err != nil {
		return err
	}
	return g.Wait()
}

func watch(ctx context.Context, zctx *zmq.Context, hub *zmq.Socket) error {
	monitor, err := hub.Monitor(zmq.EventListening | zmq.EventAccepted | zmq.EventHandshakeSucceeded |
		zmq.EventHandshakeFailedNoDetail | zmq.EventDisconnected)
	if err != nil {
		return err
	}
	defer monitor.Close()
	if err := hub.Bind("tcp://127.0.0.1:*"); err != nil {
		return err
	}
	if err := until(ctx, monitor, zmq.EventListening); err != nil {
		return err
	}
	endpoint, err := hub.LastEndpoint()
	if err != nil {
		return err
	}

	var spokes []*zmq.Socket
	var names []string
	for i := range 2 {
		spoke, err := zctx.NewSocket(zmq.Dealer, zmq.RoutingID.To(fmt.Appendf(nil, "spoke-%d", i)))
		if err != nil {
			return err
		}
		spokes = append(spokes, spoke)
		if err := spoke.Connect(endpoint); err != nil {
			return err
		}
		if err := spoke.SendString(ctx, "hello"); err != nil {
			return err
		}
		if err := until(ctx, monitor, zmq.EventHandshakeSucceeded); err != nil {
			return err
		}
		greeting, err := hub.RecvMultipart(ctx)
		if err != nil {
			return err
		}
		names = append(names, string(greeting[0]))
	}
	fmt.Println("the hub has", hub.Stats().Connections, "connections, and greetings from", names)

	if err := spokes[0].Close(); err != nil {
		return err
	}
	if err := until(ctx, monitor, zmq.EventDisconnected); err != nil {
		return err
	}
	fmt.Println("the hub has", hub.Stats().Connections, "connection")

	// Somebody who hangs up before having said a word.
	stranger, err := net.Dial("tcp", strings.TrimPrefix(endpoint, "tcp://"))
	if err != nil {
		return err
	}
	if err := stranger.Close(); err != nil {
		return err
	}
	if err := until(ctx, monitor, zmq.EventHandshakeFailedNoDetail); err != nil {
		return err
	}
	fmt.Println("the hub has", hub.Stats().Connections, "connection")
	return nil
}

// until prints events, the last of which is the one given.
func until(ctx context.Context, monitor *zmq.Monitor, last zmq.MonitorEvents) error {
	for event, err := range monitor.Events(ctx) {
		if err != nil {
			return err
		}
		fmt.Println(event.Event)
		if event.Event == last {
			return nil
		}
	}
	return errors.New("the monitor has ended")
}
