// Command clonestar shows the Clone pattern with a Binary Star: a table of keys and values
// that outlives the server that owns it.
//
//	go run ./clonestar
//
// Package clone/kv has the table and package binarystar/star decides which of two servers
// is active. The passive server is a client of the active one (kv.Client). When it takes
// over, it becomes a server with its copy of the table. server.go is such a server.
//
// A change that the passive server has not received is lost together with the active one.
// Here the program waits for the passive server. A client could also compare its copy with
// the table of the new server, and send again what is missing.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/go-zmq/go-zmq/examples/binarystar/star"
	"github.com/go-zmq/go-zmq/examples/clone/kv"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// alice sets 100 keys on the primary
	// the primary stops: alice finds 100 keys on the backup
	// alice sets 100 more keys
	// the primary returns: as the passive server it has 200 keys
	// the backup stops: alice finds 200 keys on the primary
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
	names, err := star.NewClient(zctx, endpoint(dir, "primary", "names"), endpoint(dir, "backup", "names"))
	if err != nil {
		return err
	}
	defer names.Close()
	primary, err := start(ctx, dir, star.Primary)
	if err != nil {
		return err
	}
	defer primary.stop()
	backup, err := start(ctx, dir, star.Backup)
	if err != nil {
		return err
	}
	defer backup.stop()

	if err := setAndSync(ctx, zctx, names, dir, backup, 0); err != nil {
		return err
	}
	fmt.Println("alice sets 100 keys on the primary")
	if err := primary.stop(); err != nil {
		return err
	}
	if err := show(ctx, zctx, names, dir, "the primary stops"); err != nil {
		return err
	}
	if primary, err = start(ctx, dir, star.Primary); err != nil {
		return err
	}
	defer primary.stop()
	if err := setAndSync(ctx, zctx, names, dir, primary, 100); err != nil {
		return err
	}
	fmt.Println("alice sets 100 more keys")
	fmt.Println("the primary returns: as the passive server it has 200 keys")
	if err := backup.stop(); err != nil {
		return err
	}
	return show(ctx, zctx, names, dir, "the backup stops")
}

// join returns a client of the active server, and the name of that server.
func join(ctx context.Context, zctx *zmq.Context, names *star.Client, dir string) (*kv.Client, string, error) {
	reply, err := names.Request(ctx, []byte("which server is active?"))
	if err != nil {
		return nil, "", err
	}
	name := string(reply[0])
	client, err := kv.Join(ctx, zctx, endpoints(dir, name))
	return client, name, err
}

// setAndSync sets 100 keys, and waits until the passive server has them.
func setAndSync(ctx context.Context, zctx *zmq.Context, names *star.Client, dir string, passive *server, first int) error {
	var copied *kv.Client
	select {
	case copied = <-passive.joined:
	case <-ctx.Done():
		return ctx.Err()
	}
	alice, _, err := join(ctx, zctx, names, dir)
	if err != nil {
		return err
	}
	defer alice.Close()
	for i := first; i < first+100; i++ {
		if err := alice.Set(ctx, fmt.Sprint("number-", i), fmt.Sprint(i)); err != nil {
			return err
		}
	}
	return copied.Wait(ctx, uint64(first+100))
}

// show prints what a client finds on the active server.
func show(ctx context.Context, zctx *zmq.Context, names *star.Client, dir, title string) error {
	alice, name, err := join(ctx, zctx, names, dir)
	if err != nil {
		return err
	}
	defer alice.Close()
	fmt.Printf("%s: alice finds %d keys on the %s\n", title, len(alice.Table().Values), name)
	return nil
}
