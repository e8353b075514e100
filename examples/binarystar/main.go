// Command binarystar shows the Binary Star pattern: a pair of servers, of which one is
// active and the other takes over when the active one is gone.
//
//	go run ./binarystar
//
// In package star, the servers send each other their state as a heartbeat. A passive server
// takes over only if the heartbeats stop and a client asks it: silence alone could mean
// that the link between the servers is broken. A client asks the other server when it gets
// no reply. clonestar has servers with data.
package main

import (
	"context"
	"fmt"

	"github.com/go-zmq/go-zmq/examples/binarystar/star"
	"github.com/go-zmq/go-zmq/examples/internal/demo"
)

func main() {
	demo.Run(run)
	// Output:
	// primary answers
	// the primary stops: backup answers
	// the primary returns and is passive: backup answers
	// the backup stops: primary answers
}

func run(ctx context.Context, d *demo.Demo) error {
	client, err := star.NewClient(d)
	if err != nil {
		return err
	}
	defer client.Close()
	show := func(title string) error {
		name, err := client.ActiveServer(ctx)
		if err == nil {
			fmt.Printf("%s%s answers\n", title, name)
		}
		return err
	}
	primary, backup := start(ctx, d, star.Primary, star.Backup), start(ctx, d, star.Backup, star.Primary)
	backup.wait(star.Passive)
	if err := show(""); err != nil {
		return err
	}
	primary.stop()
	if err := show("the primary stops: "); err != nil {
		return err
	}
	primary = start(ctx, d, star.Primary, star.Backup)
	primary.wait(star.Passive)
	if err := show("the primary returns and is passive: "); err != nil {
		return err
	}
	backup.stop()
	return show("the backup stops: ")
}

// A server can be stopped.
type server struct {
	cancel context.CancelFunc
	states <-chan string
}

func start(ctx context.Context, d *demo.Demo, name, peer string) server {
	ctx, cancel := context.WithCancel(ctx)
	return server{cancel, star.Start(ctx, d, name, peer)}
}

// stop returns when the server has stopped.
func (s server) stop() {
	s.cancel()
	for range s.states {
	}
}

// wait returns when the server is in a state, or has stopped.
func (s server) wait(state string) {
	for now := range s.states {
		if now == state {
			return
		}
	}
}
