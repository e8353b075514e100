// Command clone is the Clone pattern: every client has a copy of the server's table of
// keys and values, and each can change it.
//
//	go run ./clone
//
// server.go numbers the changes and publishes them in order. client.go subscribes first,
// then asks for a snapshot, and then leaves out the changes that are in it already: so it
// misses none, whenever it joins. It also notices when a change was lost on its way, and
// gets a new snapshot.
package main

import (
	"context"
	"fmt"
	"log"
	"maps"
	"time"

	"golang.org/x/sync/errgroup"

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
	c, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer c.Close()
	s, err := newServer(c)
	if err != nil {
		return err
	}
	defer s.close()

	serving, stop := context.WithCancel(ctx)
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.run(serving) })
	g.Go(func() error {
		defer stop()
		return use(ctx, c, s.endpoints)
	})
	return g.Wait()
}

func use(ctx context.Context, c *zmq.Context, at endpoints) error {
	alice, err := join(ctx, c, at)
	if err != nil {
		return err
	}
	defer alice.close()
	const keys = 1000
	var bob *client
	for i := range keys {
		if err := alice.set(ctx, fmt.Sprint("number-", i), fmt.Sprint(i)); err != nil {
			return err
		}
		if i == keys/2 {
			// Changes are under way before and behind the snapshot that bob gets.
			if bob, err = join(ctx, c, at); err != nil {
				return err
			}
			defer bob.close()
		}
	}
	if err := alice.wait(ctx, keys); err != nil {
		return err
	}
	fmt.Printf("alice: %d keys, sum %d\n", len(alice.copy()), sum(alice.copy()))
	if err := bob.wait(ctx, keys); err != nil {
		return err
	}
	fmt.Println("bob, who joined in the middle:", compare(alice, bob))
	carol, err := join(ctx, c, at)
	if err != nil {
		return err
	}
	defer carol.close()
	if err := carol.wait(ctx, keys); err != nil {
		return err
	}
	fmt.Println("carol, who joined at the end:", compare(alice, carol))

	if err := bob.set(ctx, "number-7", "seven"); err != nil {
		return err
	}
	if err := alice.wait(ctx, keys+1); err != nil {
		return err
	}
	fmt.Printf("bob changes number-7, alice sees %q\n", alice.copy()["number-7"])
	if err := bob.set(ctx, "number-7", ""); err != nil {
		return err
	}
	if err := alice.wait(ctx, keys+2); err != nil {
		return err
	}
	fmt.Printf("bob deletes number-7, alice has %d keys\n", len(alice.copy()))
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

func compare(a, b *client) string {
	if maps.Equal(a.copy(), b.copy()) {
		return "the same"
	}
	return "something else"
}
