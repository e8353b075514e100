// Command clone shows the Clone pattern: every client has a copy of the server's table of
// keys and values, and can change it.
//
//	go run ./clone
//
// In package kv, server.go numbers the changes and publishes them in order. client.go
// subscribes first, asks for a snapshot, and leaves out the changes that the snapshot has:
// it misses none, whenever it joins. It also notices when a change was lost, and takes a
// new snapshot. The example clonestar has two servers, of which one takes over.
package main

import (
	"context"
	"fmt"
	"log"
	"maps"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/examples/clone/kv"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// alice: 1000 keys, sum 499500
	// bob, who joined in the middle: the same
	// carol, who joined at the end: the same
	// bob changes number-7, alice sees "seven"
	// bob deletes number-7, alice has 999 keys
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	const anyPort = "tcp://127.0.0.1:*"
	s, err := kv.NewServer(zctx, kv.Endpoints{Snapshots: anyPort, Updates: anyPort, Changes: anyPort}, kv.Table{})
	if err != nil {
		return err
	}
	defer s.Close()

	serving, stop := context.WithCancel(ctx)
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.Run(serving) })
	g.Go(func() error {
		defer stop()
		return use(ctx, zctx, s.Endpoints)
	})
	return g.Wait()
}

func use(ctx context.Context, zctx *zmq.Context, at kv.Endpoints) error {
	alice, err := kv.Join(ctx, zctx, at)
	if err != nil {
		return err
	}
	defer alice.Close()
	const keys = 1000
	var bob *kv.Client
	for i := range keys {
		if err := alice.Set(ctx, fmt.Sprint("number-", i), fmt.Sprint(i)); err != nil {
			return err
		}
		if i == keys/2 {
			// Changes arrive before and after the snapshot that bob gets.
			if bob, err = kv.Join(ctx, zctx, at); err != nil {
				return err
			}
			defer bob.Close()
		}
	}
	if err := alice.Wait(ctx, keys); err != nil {
		return err
	}
	fmt.Printf("alice: %d keys, sum %d\n", len(alice.Table().Values), sum(alice.Table().Values))
	if err := bob.Wait(ctx, keys); err != nil {
		return err
	}
	fmt.Println("bob, who joined in the middle:", compare(alice, bob))
	carol, err := kv.Join(ctx, zctx, at)
	if err != nil {
		return err
	}
	defer carol.Close()
	if err := carol.Wait(ctx, keys); err != nil {
		return err
	}
	fmt.Println("carol, who joined at the end:", compare(alice, carol))

	if err := bob.Set(ctx, "number-7", "seven"); err != nil {
		return err
	}
	if err := alice.Wait(ctx, keys+1); err != nil {
		return err
	}
	fmt.Printf("bob changes number-7, alice sees %q\n", alice.Table().Values["number-7"])
	if err := bob.Set(ctx, "number-7", ""); err != nil {
		return err
	}
	if err := alice.Wait(ctx, keys+2); err != nil {
		return err
	}
	fmt.Printf("bob deletes number-7, alice has %d keys\n", len(alice.Table().Values))
	return nil
}

func sum(table map[string]string) (total int) {
	for _, value := range table {
		var n int
		if _, err := fmt.Sscan(value, &n); err == nil {
			total += n
		}
	}
	return total
}

func compare(a, b *kv.Client) string {
	if maps.Equal(a.Table().Values, b.Table().Values) {
		return "the same"
	}
	return "something else"
}
