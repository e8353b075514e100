// Command binarystar shows the Binary Star pattern: a pair of servers, of which one is
// active and the other takes over when the active one is gone.
//
//	go run ./binarystar
//
// Package star exchanges heartbeats and decides which server is active. A passive server
// takes over only if the heartbeats stop and a client asks it: the first alone could mean
// that the link between the servers is broken. The servers have a zmq.Context each, as if
// they were processes. They are request.Servers that do not reply while they are passive,
// and a star.Client asks the other server when it gets no reply.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/examples/binarystar/star"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// the primary answers
	// the primary stops: the backup answers
	// the primary returns and stays passive: the backup answers
	// the backup stops: the primary answers
}

func run() error {
	dir, err := os.MkdirTemp("", "star")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
	defer cancel()

	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	client, err := star.NewClient(zctx, endpoint(dir, "primary", "requests"), endpoint(dir, "backup", "requests"))
	if err != nil {
		return err
	}
	defer client.Close()

	primary, err := start(ctx, dir, star.Primary)
	if err != nil {
		return err
	}
	backup, err := start(ctx, dir, star.Backup)
	if err != nil {
		return err
	}
	if _, err := backup.Wait(ctx, star.Passive); err != nil {
		return err
	}
	if err := show(ctx, client, ""); err != nil {
		return err
	}
	if err := primary.stop(); err != nil {
		return err
	}
	if err := show(ctx, client, "the primary stops: "); err != nil {
		return err
	}
	if primary, err = start(ctx, dir, star.Primary); err != nil {
		return err
	}
	if _, err := primary.Wait(ctx, star.Passive); err != nil {
		return err
	}
	if err := show(ctx, client, "the primary returns and stays passive: "); err != nil {
		return err
	}
	if err := backup.stop(); err != nil {
		return err
	}
	if err := show(ctx, client, "the backup stops: "); err != nil {
		return err
	}
	return primary.stop()
}

var names = map[star.State]string{star.Primary: "primary", star.Backup: "backup"}

// endpoint returns where a server does something.
func endpoint(dir, server, what string) string { return "ipc://" + filepath.Join(dir, server+"-"+what) }

// A server is one of the pair.
type server struct {
	*star.Node
	stop func() error
}

// start starts a server that answers with its name.
func start(ctx context.Context, dir string, role star.State) (*server, error) {
	name, peer := names[role], names[star.Primary+star.Backup-role]
	zctx, err := zmq.NewContext()
	if err != nil {
		return nil, err
	}
	node, err := star.New(zctx, role, endpoint(dir, name, "state"), endpoint(dir, peer, "state"))
	if err != nil {
		return nil, errors.Join(err, zctx.Close())
	}
	router, err := zctx.NewSocket(zmq.Router, zmq.Linger.To(0))
	if err != nil {
		return nil, errors.Join(err, zctx.Close())
	}
	if err := router.Bind(endpoint(dir, name, "requests")); err != nil {
		return nil, errors.Join(err, zctx.Close())
	}
	handler := request.Server{Handle: func(context.Context, [][]byte) [][]byte {
		if !node.Accept() {
			return nil // no reply: the client asks the other server
		}
		return [][]byte{[]byte(name)}
	}}
	ctx, cancel := context.WithCancel(ctx)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return node.Run(ctx) })
	g.Go(func() error {
		if err := handler.Serve(ctx, router); !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	})
	return &server{node, func() error {
		cancel()
		return errors.Join(g.Wait(), zctx.Close())
	}}, nil
}

// show asks which server is active and prints its name.
func show(ctx context.Context, client *star.Client, title string) error {
	reply, err := client.Request(ctx, []byte("which server is active?"))
	if err == nil {
		fmt.Printf("%sthe %s answers\n", title, reply[0])
	}
	return err
}
