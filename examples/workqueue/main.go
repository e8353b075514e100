// Command workqueue shows a queue of work with two workers in processes of their own, one of
// which is killed while it has tasks. The other one gets them, and nothing is lost.
//
//	go run ./workqueue
//
// Package task keeps a task until a worker has acknowledged it. When a worker vanishes, its
// tasks are delivered again at once, and when it hangs, after the lease. A task may therefore
// be handled twice, which workers must tolerate.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"time"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/task"
)

const (
	tasks    = 20
	prefetch = 5
)

func main() {
	if len(os.Args) == 3 { // in the process of a worker
		log.Fatal(work(context.Background(), os.Args[1], os.Args[2]))
	}
	demo.Run(run)
	// Output:
	// the first worker has 5 tasks, and is killed
	// 20 tasks are done, 5 of them in a second attempt
}

func run(ctx context.Context, d *demo.Demo) error {
	router, endpoint := d.Bind(zmq.Router, demo.AnyPort, zmq.Heartbeat(5*time.Second))
	queue, err := task.NewQueue(router, task.QueueConfig{Lease: time.Minute})
	if err != nil {
		return err
	}
	defer queue.Close()

	first, err := startWorker(ctx, endpoint, "hangs")
	if err != nil {
		return err
	}
	for n := range tasks {
		if err := queue.Push(ctx, fmt.Append(nil, "task ", n)); err != nil {
			return err
		}
	}
	for queue.Stats().UnderWay < prefetch {
		if err := ctx.Err(); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	fmt.Printf("the first worker has %d tasks, and is killed\n", prefetch)
	second, err := startWorker(ctx, endpoint, "works")
	if err != nil {
		return err
	}
	if err := first.Process.Kill(); err != nil {
		return err
	}
	_ = first.Wait() // says that it was killed

	if err := queue.Drain(ctx); err != nil {
		return err
	}
	stats := queue.Stats()
	fmt.Printf("%d tasks are done, %d of them in a second attempt\n", stats.Acknowledged, stats.Redelivered)
	_ = second.Process.Kill()
	_ = second.Wait()
	return queue.Close()
}

// startWorker runs this program once more, as a worker.
func startWorker(ctx context.Context, endpoint, how string) (*exec.Cmd, error) {
	worker := exec.CommandContext(ctx, os.Args[0], endpoint, how)
	worker.Stderr = os.Stderr
	return worker, worker.Start()
}

// work handles tasks until the process is killed.
func work(ctx context.Context, endpoint, how string) error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	dealer, err := zctx.NewSocket(zmq.Dealer, zmq.Heartbeat(5*time.Second))
	if err != nil {
		return err
	}
	if err := dealer.Connect(endpoint); err != nil {
		return err
	}
	worker, err := task.NewWorker(dealer, task.WorkerConfig{Prefetch: prefetch})
	if err != nil {
		return err
	}
	defer worker.Close()
	for t, err := range worker.Tasks(ctx) {
		if err != nil {
			return err
		}
		if how == "hangs" {
			select {}
		}
		if err := t.Ack(); err != nil { // a real worker works first
			return err
		}
	}
	return nil
}
