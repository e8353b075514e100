// Command titanic shows the Titanic pattern: requests that are kept on disk until a worker
// has answered them, so that client, worker and broker need not run at the same time.
//
//	go run ./titanic
//
// Titanic is a worker and a client of a Majordomo broker (package mdp), in store.go. It offers three
// services: titanic.request keeps a request and returns its number, titanic.reply returns
// the reply when there is one, and titanic.close deletes it. A request may be repeated
// after a crash, so services must tolerate that.
//
// If the work need not outlive the process that hands it out, package zmq/task is simpler:
// it delivers each task until a worker has acknowledged it (see ../workqueue).
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/examples/majordomo/mdp"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

func main() {
	demo.Run(run)
	// Output:
	// no worker yet: 300 pending
	// Titanic has restarted, and there is a worker: 200 hello
	// after titanic.close: 400 unknown
}

func run(ctx context.Context, d *demo.Demo) error {
	router, endpoint := d.Bind(zmq.Router, demo.AnyPort)
	d.Go(func() error { return mdp.Broker(ctx, router) })
	client, err := request.NewClient(d.Connect(zmq.Dealer, endpoint), request.Config{Attempts: 3, Timeout: 5 * time.Second})
	if err != nil {
		return err
	}
	defer client.Close()
	disk, err := os.OpenRoot(d.Path(""))
	if err != nil {
		return err
	}
	defer disk.Close()
	call := func(ctx context.Context, service string, body ...[]byte) ([][]byte, error) {
		return mdp.Call(ctx, client, service, body...)
	}

	first, stop := context.WithCancel(ctx)
	defer stop()
	stopped := make(chan error, 1)
	go func() { stopped <- serve(first, d, endpoint, &titanic{disk, call}) }()
	kept, err := call(ctx, "titanic.request", demo.Message("echo", "hello")...) // status, number
	if err != nil {
		return err
	}
	reply, err := call(ctx, "titanic.reply", kept[1])
	if err != nil {
		return err
	}
	fmt.Printf("no worker yet: %s\n", reply[0])

	stop()
	if err := <-stopped; !errors.Is(err, context.Canceled) {
		return err
	}
	d.Go(func() error { return serve(ctx, d, endpoint, &titanic{disk, call}) })
	worker := d.Connect(zmq.Dealer, endpoint)
	d.Go(func() error {
		return mdp.Serve(ctx, worker, "echo", func(request [][]byte) [][]byte { return request })
	})
	for string(reply[0]) == pending { // a real client would do something else in between
		if reply, err = call(ctx, "titanic.reply", kept[1]); err != nil {
			return err
		}
	}
	fmt.Printf("Titanic has restarted, and there is a worker: %s %s\n", reply[0], reply[1])
	if _, err := call(ctx, "titanic.close", kept[1]); err != nil {
		return err
	}
	reply, err = call(ctx, "titanic.reply", kept[1])
	fmt.Printf("after titanic.close: %s\n", reply[0])
	return err
}
