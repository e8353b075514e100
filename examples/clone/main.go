// Command clone shows the Clone pattern: every client has a copy of the server's table of
// keys and values, and can change it.
//
//	go run ./clone
//
// The server (server.go) numbers the changes and publishes them in order. A client subscribes first,
// then asks for a snapshot, and skips the changes that the snapshot has: so it misses none,
// whenever it joins. A client that notices a missing number takes a new snapshot.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

func main() {
	demo.Run(run)
	// Output:
	// alice has 1000 keys
	// bob joined in the middle, and has the same table: true
	// carol joined at the end, and has the same table: true
	// bob deletes a key, and alice has 999 keys
}

func run(ctx context.Context, d *demo.Demo) error {
	d.Go(func() error { return serve(ctx, d) })
	alice, err := join(ctx, d)
	if err != nil {
		return err
	}
	const keys = 1000
	var bob *client
	for i := range keys {
		if err := alice.set(ctx, fmt.Sprint("key-", i), fmt.Sprint(i)); err != nil {
			return err
		}
		if i == keys/2 { // changes arrive before and after bob's snapshot
			if bob, err = join(ctx, d); err != nil {
				return err
			}
		}
	}
	if err := alice.wait(ctx, keys); err != nil {
		return err
	}
	fmt.Println("alice has", len(alice.values), "keys")
	if err := bob.wait(ctx, keys); err != nil {
		return err
	}
	fmt.Println("bob joined in the middle, and has the same table:", maps.Equal(alice.values, bob.values))
	carol, err := join(ctx, d)
	if err != nil {
		return err
	}
	fmt.Println("carol joined at the end, and has the same table:", maps.Equal(alice.values, carol.values))
	if err := bob.set(ctx, "key-7", ""); err != nil {
		return err
	}
	if err := alice.wait(ctx, keys+1); err != nil {
		return err
	}
	fmt.Println("bob deletes a key, and alice has", len(alice.values), "keys")
	return nil
}

// A client has a copy of the table. One goroutine at a time may use it.
type client struct {
	table
	snapshots *request.Client
	sub, push *zmq.Socket
}

func join(ctx context.Context, d *demo.Demo) (*client, error) {
	c := &client{sub: d.Connect(zmq.Sub, updates, zmq.Subscribe.To("")), push: d.Connect(zmq.Push, changes)}
	var err error
	if c.snapshots, err = request.NewClient(d.Connect(zmq.Dealer, snapshots), request.Config{}); err != nil {
		return nil, err
	}
	if _, err := c.sub.RecvMultipart(ctx); err != nil { // the subscription has arrived
		return nil, err
	}
	return c, c.refresh(ctx)
}

// refresh replaces the copy with a snapshot.
func (c *client) refresh(ctx context.Context) error {
	snapshot, err := c.snapshots.Request(ctx, []byte("snapshot"))
	if err != nil {
		return err
	}
	c.table = table{map[string]string{}, binary.BigEndian.Uint64(snapshot[0])}
	for i := 1; i < len(snapshot); i += 2 {
		c.apply(snapshot[i], snapshot[i+1])
	}
	return nil
}

// set asks the server to set a key. The copy has the change when the server publishes it.
func (c *client) set(ctx context.Context, key, value string) error {
	return c.push.SendMultipart(ctx, demo.Message(key, value))
}

// wait receives changes until the copy has the one with a number, or a later one.
func (c *client) wait(ctx context.Context, sequence uint64) error {
	for c.sequence < sequence {
		change, err := c.sub.RecvMultipart(ctx) // key, value, number
		if err != nil {
			return err
		}
		switch n := binary.BigEndian.Uint64(change[2]); {
		case n <= c.sequence: // the copy has it
		case n == c.sequence+1 && len(change[0]) > 0:
			c.sequence = n
			c.apply(change[0], change[1])
		default: // a change is missing
			if err := c.refresh(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
