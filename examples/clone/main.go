// Command clone shows the Clone pattern: every client has a copy of the server's table of
// keys and values, and can change it.
//
//	go run ./clone
//
// In package kv, the server numbers the changes and publishes them in order. A client
// subscribes first, then asks for a snapshot, and skips the changes that the snapshot has:
// so it misses none, whenever it joins. A client that notices a missing number takes a new
// snapshot. clonestar has two servers, of which one takes over.
//
// A program that only needs every change, and no snapshot, is simpler with package
// zmq/replay, which numbers the changes, keeps the last ones and sends them again.
package main

import (
	"context"
	"fmt"
	"maps"

	"github.com/go-zmq/go-zmq/examples/clone/kv"
	"github.com/go-zmq/go-zmq/examples/internal/demo"
)

func main() {
	demo.Run(run)
	// Output:
	// alice has 1000 keys
	// bob joined in the middle, and has the same table: true
	// carol joined at the end, and has the same table: true
	// bob deletes a key, and alice has 999 keys
}

const server = "server" // the name of the server

func run(ctx context.Context, d *demo.Demo) error {
	d.Go(func() error { return kv.Serve(ctx, d, server, kv.Table{Values: map[string]string{}}) })
	alice, err := kv.Join(ctx, d, server)
	if err != nil {
		return err
	}
	const keys = 1000
	var bob *kv.Client
	for i := range keys {
		if err := alice.Set(ctx, fmt.Sprint("key-", i), fmt.Sprint(i)); err != nil {
			return err
		}
		if i == keys/2 { // changes arrive before and after bob's snapshot
			if bob, err = kv.Join(ctx, d, server); err != nil {
				return err
			}
		}
	}
	if err := alice.Wait(ctx, keys); err != nil {
		return err
	}
	fmt.Println("alice has", len(alice.Values), "keys")
	if err := bob.Wait(ctx, keys); err != nil {
		return err
	}
	fmt.Println("bob joined in the middle, and has the same table:", maps.Equal(alice.Values, bob.Values))
	carol, err := kv.Join(ctx, d, server)
	if err != nil {
		return err
	}
	fmt.Println("carol joined at the end, and has the same table:", maps.Equal(alice.Values, carol.Values))
	if err := bob.Set(ctx, "key-7", ""); err != nil {
		return err
	}
	if err := alice.Wait(ctx, keys+1); err != nil {
		return err
	}
	fmt.Println("bob deletes a key, and alice has", len(alice.Values), "keys")
	return nil
}
