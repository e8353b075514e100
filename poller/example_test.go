package poller_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// exampleSockets returns two pairs of connected sockets.
func exampleSockets(zctx *zmq.Context) (tasks, task, news, article *zmq.Socket) {
	socket := func(typ zmq.SocketType) *zmq.Socket {
		s, err := zctx.NewSocket(typ)
		if err != nil {
			log.Fatal(err)
		}
		return s
	}
	tasks, task, news, article = socket(zmq.Pull), socket(zmq.Push), socket(zmq.Pull), socket(zmq.Push)
	for name, pair := range map[string][2]*zmq.Socket{"inproc://tasks": {tasks, task}, "inproc://news": {news, article}} {
		if err := errors.Join(pair[0].Bind(name), pair[1].Connect(name)); err != nil {
			log.Fatal(err)
		}
	}
	return tasks, task, news, article
}

// One goroutine receives from two sockets, and notices when neither has a message.
func ExamplePoller() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	if err != nil {
		log.Fatal(err)
	}
	defer zctx.Close()
	tasks, task, news, article := exampleSockets(zctx)

	p, err := poller.New()
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	for _, s := range []*zmq.Socket{tasks, news} {
		if err := p.Add(s, poller.In); err != nil {
			log.Fatal(err)
		}
	}

	for _, send := range []func() error{
		func() error { return task.SendString(ctx, "a task") },
		func() error { return article.SendString(ctx, "an article") },
		func() error { return nil },
	} {
		if err := send(); err != nil {
			log.Fatal(err)
		}
		events, err := p.Poll(10 * time.Millisecond)
		if err != nil {
			log.Fatal(err)
		}
		if len(events) == 0 {
			fmt.Println("nothing to do")
		}
		for _, e := range events {
			text, err := e.Socket.RecvString(ctx, zmq.DontWait)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(text, e.Events)
		}
	}
	// Output:
	// a task In
	// an article In
	// nothing to do
}

// A wait that ends when its context is cancelled.
func ExamplePoller_Wait() {
	zctx, err := zmq.NewContext()
	if err != nil {
		log.Fatal(err)
	}
	defer zctx.Close()
	tasks, task, _, _ := exampleSockets(zctx)

	p, err := poller.New()
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	if err := p.Add(tasks, poller.In); err != nil {
		log.Fatal(err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		if err := task.SendString(ctx, "the only task"); err != nil {
			log.Fatal(err)
		}
	}()
	for {
		events, err := p.Wait(ctx)
		if errors.Is(err, context.Canceled) {
			fmt.Println("told to stop")
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		for _, e := range events {
			text, err := e.Socket.RecvString(ctx, zmq.DontWait)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(text)
			cancel()
		}
	}
	// Output:
	// the only task
	// told to stop
}

// One goroutine serves a socket and its timers.
func ExampleReactor() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	if err != nil {
		log.Fatal(err)
	}
	defer zctx.Close()
	tasks, task, _, _ := exampleSockets(zctx)

	r, err := poller.NewReactor()
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	done := errors.New("all done")
	received := 0
	err = r.Handle(tasks, poller.In, func(e poller.Event) error {
		text, err := e.Socket.RecvString(ctx, zmq.DontWait)
		if err != nil {
			return err
		}
		fmt.Println("received", text)
		if received++; received == 3 {
			return done
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	sent := 0
	_, err = r.Every(5*time.Millisecond, func() error {
		sent++
		return task.SendString(ctx, fmt.Sprint("task ", sent))
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Run(ctx))
	// Output:
	// received task 1
	// received task 2
	// received task 3
	// all done
}
