// Command monitor watches the connections of a hub: peers that connect, that disconnect,
// and that fail the handshake.
//
//	go run ./monitor
//
// Events wait in a queue until the monitor is read, and delay nothing. A second monitor
// writes all events to the log on standard error.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	demo.Run(run)
	// Output:
	// ACCEPTED
	// HANDSHAKE_SUCCEEDED
	// ACCEPTED
	// HANDSHAKE_SUCCEEDED
	// the hub has 2 connections
	// DISCONNECTED
	// the hub has 1 connection
	// ACCEPTED
	// HANDSHAKE_FAILED_NO_DETAIL
	// the hub has 1 connection
}

func run(ctx context.Context, d *demo.Demo) error {
	hub, endpoint := d.Bind(zmq.Router, demo.AnyPort)
	all, err := hub.Monitor(zmq.EventAll)
	if err != nil {
		return err
	}
	d.Go(func() error { return all.Log(ctx, slog.New(slog.NewTextHandler(os.Stderr, nil))) })
	monitor, err := hub.Monitor(zmq.EventAccepted | zmq.EventHandshakeSucceeded | zmq.EventHandshakeFailedNoDetail | zmq.EventDisconnected)
	if err != nil {
		return err
	}
	defer monitor.Close()

	var spokes []*zmq.Socket
	for range 2 {
		spokes = append(spokes, d.Connect(zmq.Dealer, endpoint))
		if err := printUntil(ctx, monitor, zmq.EventHandshakeSucceeded); err != nil {
			return err
		}
	}
	fmt.Println("the hub has", hub.Stats().Connections, "connections")

	if err := spokes[0].Close(); err != nil {
		return err
	}
	if err := printUntil(ctx, monitor, zmq.EventDisconnected); err != nil {
		return err
	}
	fmt.Println("the hub has", hub.Stats().Connections, "connection")

	// A peer that closes its connection before the handshake.
	stranger, err := net.Dial("tcp", strings.TrimPrefix(endpoint, "tcp://"))
	if err != nil {
		return err
	}
	if err := stranger.Close(); err != nil {
		return err
	}
	if err := printUntil(ctx, monitor, zmq.EventHandshakeFailedNoDetail); err != nil {
		return err
	}
	fmt.Println("the hub has", hub.Stats().Connections, "connection")
	return nil
}

// printUntil prints events up to the first of a kind.
func printUntil(ctx context.Context, monitor *zmq.Monitor, last zmq.MonitorEvents) error {
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
