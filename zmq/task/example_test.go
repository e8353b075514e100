package task_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/task"
)

// check keeps the examples short. A program handles its errors where they happen.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// connected returns a queue and a worker for it. Usually they are in different programs.
func connected(zctx *zmq.Context, name string, config task.QueueConfig) (*task.Queue, *task.Worker) {
	router, err := zctx.NewSocket(zmq.Router, zmq.Heartbeat(10*time.Second))
	check(err)
	check(router.Bind("inproc://" + name))
	queue, err := task.NewQueue(router, config)
	check(err)
	dealer, err := zctx.NewSocket(zmq.Dealer, zmq.Heartbeat(10*time.Second))
	check(err)
	check(dealer.Connect("inproc://" + name))
	worker, err := task.NewWorker(dealer, task.WorkerConfig{Prefetch: 10})
	check(err)
	return queue, worker
}

// A worker handles three tasks. The queue waits until all are acknowledged.
func Example() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	queue, worker := connected(zctx, "work", task.QueueConfig{Lease: time.Minute})

	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for t, err := range worker.Tasks(ctx) {
			if errors.Is(err, context.Canceled) {
				return
			}
			check(err)
			fmt.Printf("resize %s\n", t.Payload)
			check(t.Ack())
		}
	}()
	for _, name := range []string{"a.jpg", "b.jpg", "c.jpg"} {
		check(queue.Push(ctx, []byte(name)))
	}
	check(queue.Drain(ctx))
	fmt.Println(queue.Stats().Acknowledged, "done")

	cancel()
	<-done
	check(worker.Close())
	check(queue.Close())
	// Output:
	// resize a.jpg
	// resize b.jpg
	// resize c.jpg
	// 3 done
}

// A task that fails every time does not hold up the others: after three attempts the queue
// gives it to Dead.
func ExampleQueueConfig() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	queue, worker := connected(zctx, "poison", task.QueueConfig{
		MaxAttempts: 3,
		Dead: func(payload []byte, attempts int, why error) {
			fmt.Printf("%s failed %d times: %v\n", payload, attempts, why)
		},
	})

	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for t, err := range worker.Tasks(ctx) {
			switch {
			case err != nil:
				return
			case string(t.Payload) == "bad.jpg":
				check(t.Nack(errors.New("not an image")))
			default:
				check(t.Ack())
			}
		}
	}()
	for _, name := range []string{"good.jpg", "bad.jpg", "fine.jpg"} {
		check(queue.Push(ctx, []byte(name)))
	}
	check(queue.Drain(ctx))
	stats := queue.Stats()
	fmt.Println(stats.Acknowledged, "done,", stats.Dead, "dead")

	cancel()
	<-done
	check(worker.Close())
	check(queue.Close())
	// Output:
	// bad.jpg failed 3 times: not an image
	// 2 done, 1 dead
}

// What a closed queue could not finish is in the error of Close, for example to be stored and
// pushed again when the program starts the next time.
func ExamplePendingError() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	queue, worker := connected(zctx, "night", task.QueueConfig{})

	ctx := context.Background()
	check(queue.Push(ctx, []byte("first")))
	check(queue.Push(ctx, []byte("second")))
	for t, err := range worker.Tasks(ctx) {
		check(err)
		check(t.Ack())
		break // gives back what is not handled
	}
	limited, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	fmt.Println(errors.Is(queue.Drain(limited), context.DeadlineExceeded))
	check(worker.Close())
	var pending *task.PendingError
	if errors.As(queue.Close(), &pending) {
		for _, payload := range pending.Payloads {
			fmt.Printf("to do: %s\n", payload)
		}
	}
	// Output:
	// true
	// to do: second
}
