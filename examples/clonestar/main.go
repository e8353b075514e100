// Command clonestar shows the Clone pattern with a Binary Star: a table of keys and values
// that outlives the server that owns it.
//
//	go run ./clonestar
//
// Package clone/kv has the table, and package binarystar/star decides which of two servers
// is active. The passive server is a client of the active one. When it takes over, it
// becomes a server with its copy of the table.
//
// A change that the passive server has not received is lost with the active one. Here the
// program waits for the passive server. A client could also compare its copy with the table
// of the new server, and send the missing changes again.
package main

import (
	"context"
	"fmt"

	"github.com/go-zmq/go-zmq/examples/binarystar/star"
	"github.com/go-zmq/go-zmq/examples/clone/kv"
	"github.com/go-zmq/go-zmq/examples/internal/demo"
)

func main() {
	demo.Run(run)
	// Output:
	// alice sets 100 keys on the primary
	// the primary stops: alice finds 100 keys on the backup
	// the primary returns as the passive server: alice sets 100 keys on the backup
	// the backup stops: alice finds 200 keys on the primary
}

func run(ctx context.Context, d *demo.Demo) error {
	names, err := star.NewClient(d)
	if err != nil {
		return err
	}
	defer names.Close()
	// visit calls f with a client of the active server.
	visit := func(f func(name string, alice *kv.Client) error) error {
		name, err := names.ActiveServer(ctx)
		if err != nil {
			return err
		}
		alice, err := kv.Join(ctx, d, name)
		if err != nil {
			return err
		}
		defer alice.Close()
		return f(name, alice)
	}
	set := func(title string, passive *server) error {
		return visit(func(name string, alice *kv.Client) error {
			first := alice.Sequence
			for i := range uint64(100) {
				if err := alice.Set(ctx, fmt.Sprint("key-", first+i), "a value"); err != nil {
					return err
				}
			}
			fmt.Printf("%salice sets 100 keys on the %s\n", title, name)
			return passive.wait(ctx, first+100)
		})
	}
	show := func(title string) error {
		return visit(func(name string, alice *kv.Client) error {
			fmt.Printf("%salice finds %d keys on the %s\n", title, len(alice.Values), name)
			return nil
		})
	}

	primary, backup := start(ctx, d, star.Primary, star.Backup), start(ctx, d, star.Backup, star.Primary)
	if err := set("", backup); err != nil {
		return err
	}
	primary.stop()
	if err := show("the primary stops: "); err != nil {
		return err
	}
	primary = start(ctx, d, star.Primary, star.Backup)
	if err := set("the primary returns as the passive server: ", primary); err != nil {
		return err
	}
	backup.stop()
	return show("the backup stops: ")
}
