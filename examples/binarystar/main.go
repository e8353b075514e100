// Command binarystar shows the Binary Star pattern: a pair of servers, of which one is
// active and the other takes over when the active one is gone.
//
//	go run ./binarystar
//
// The servers send each other their state as a heartbeat. A passive server takes over only
// if the heartbeats stop and a client asks it: silence alone could mean that the link
// between the servers is broken. A client asks the other server when it gets no reply.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

const (
	interval = 100 * time.Millisecond // between heartbeats
	silence  = time.Second            // a peer that sends nothing for longer is gone
)

// The states of a server. It begins as primary or backup, and is then active or passive.
const primary, backup, active, passive = "primary", "backup", "active", "passive"

// transitions has the next state of a server by its state and that of its peer.
var transitions = map[string]string{
	"primary backup": active, "primary active": passive, "backup active": passive,
	"passive primary": active, "passive backup": active,
}

func main() {
	demo.Run(run)
	// Output:
	// primary answers
	// the primary stops: backup answers
	// the primary returns and is passive: backup answers
	// the backup stops: primary answers
}

func run(ctx context.Context, d *demo.Demo) error {
	var clients []*request.Client
	for _, name := range []string{primary, backup} {
		// With Immediate, no request waits in the socket for a server that is gone.
		dealer := d.Connect(zmq.Dealer, d.IPC(name+"-requests"), zmq.Immediate.To(true))
		client, err := request.NewClient(dealer, request.Config{Timeout: 300 * time.Millisecond})
		if err != nil {
			return err
		}
		defer client.Close()
		clients = append(clients, client)
	}
	// ask prints the name of the active server.
	ask := func(title string) error {
		for {
			reply, err := clients[0].Request(ctx, []byte("what is your name?"))
			if err == nil {
				fmt.Printf("%s%s answers\n", title, reply[0])
				return nil
			}
			if !errors.Is(err, zmq.ErrAgain) {
				return err
			}
			clients[0], clients[1] = clients[1], clients[0]
		}
	}

	stopPrimary, _ := start(ctx, d, primary, backup)
	stopBackup, states := start(ctx, d, backup, primary)
	for <-states != passive {
	}
	if err := ask(""); err != nil {
		return err
	}
	if err := stopPrimary(); err != nil {
		return err
	}
	if err := ask("the primary stops: "); err != nil {
		return err
	}
	stopPrimary, states = start(ctx, d, primary, backup)
	for <-states != passive {
	}
	if err := ask("the primary returns and is passive: "); err != nil {
		return err
	}
	if err := stopBackup(); err != nil {
		return err
	}
	return errors.Join(ask("the backup stops: "), stopPrimary())
}

// start starts a server that answers with its name. It returns a function that stops the
// server, and a channel that receives each new state.
func start(ctx context.Context, d *demo.Demo, name, peer string) (stop func() error, states <-chan string) {
	ctx, cancel := context.WithCancel(ctx)
	ended, changes := make(chan error, 1), make(chan string, 10)
	go func() {
		ended <- serve(ctx, d, name, peer, changes)
		close(changes)
	}()
	return func() error { cancel(); return <-ended }, changes
}

// serve answers requests while the server is active. It fails if both are active or passive.
func serve(ctx context.Context, d *demo.Demo, name, peer string, changes chan<- string) error {
	requests, _ := d.Bind(zmq.Router, d.IPC(name+"-requests"))
	defer requests.Close()
	heartbeats, _ := d.Bind(zmq.Pub, d.IPC(name+"-state"))
	defer heartbeats.Close()
	peerState := d.Connect(zmq.Sub, d.IPC(peer+"-state"), zmq.Subscribe.To(""))
	defer peerState.Close()

	state, heard := name, time.Now()
	become := func(s string) { state = s; changes <- s }
	fromClients, fromPeer, ticker := requests.RecvChan(ctx), peerState.RecvChan(ctx), time.NewTicker(interval)
	for ctx.Err() == nil {
		select {
		case <-ticker.C:
			if err := heartbeats.SendString(context.Background(), state); err != nil {
				return err
			}
		case heartbeat := <-fromPeer.C:
			if len(heartbeat) == 0 {
				continue // the channel is closed because ctx is done
			}
			heard = time.Now()
			if string(heartbeat[0]) == state {
				return fmt.Errorf("both servers are %s", state)
			}
			if next := transitions[state+" "+string(heartbeat[0])]; next != "" {
				become(next)
			}
		case request := <-fromClients.C:
			if (state == passive || state == primary) && time.Since(heard) > silence {
				become(active)
			}
			if len(request) > 0 && state == active { // without a reply, the client asks the other server
				if err := requests.SendMultipart(context.Background(), append(request[:len(request)-1], []byte(name))); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
