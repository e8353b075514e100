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
		check(err)
		return s
	}
	tasks, task, news, article = socket(zmq.Pull), socket(zmq.Push), socket(zmq.Pull), socket(zmq.Push)
	for name, pair := range map[string][2]*zmq.Socket{"inproc://tasks": {tasks, task}, "inproc://news": {news, article}} {
		check(errors.Join(pair[0].Bind(name), pair[1].Connect(name)))
	}
	return tasks, task, news, article
}

// One goroutine receives from two sockets, and notices when neither has a message.
func ExamplePoller() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	tasks, task, news, article := exampleSockets(zctx)

	p, err := poller.New()
	check(err)
	defer p.Close()
	for _, s := range []*zmq.Socket{tasks, news} {
		check(p.Add(s, poller.In))
	}

	for _, send := range []func() error{
		func() error { return task.SendString(ctx, "a task") },
		func() error { return article.SendString(ctx, "an article") },
		func() error { return nil },
	} {
		check(send())
		events, err := p.Poll(10 * time.Millisecond)
		check(err)
		if len(events) == 0 {
			fmt.Println("nothing to do")
		}
		for _, e := range events {
			text, err := e.Socket.RecvString(ctx, zmq.DontWait)
			check(err)
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
	check(err)
	defer zctx.Close()
	tasks, task, _, _ := exampleSockets(zctx)

	p, err := poller.New()
	check(err)
	defer p.Close()
	check(p.Add(tasks, poller.In))

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		check(task.SendString(ctx, "the only task"))
	}()
	for {
		events, err := p.Wait(ctx)
		if errors.Is(err, context.Canceled) {
			fmt.Println("told to stop")
			return
		}
		check(err)
		for _, e := range events {
			text, err := e.Socket.RecvString(ctx, zmq.DontWait)
			check(err)
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
	check(err)
	defer zctx.Close()
	tasks, task, _, _ := exampleSockets(zctx)

	r, err := poller.NewReactor()
	check(err)
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
	check(err)
	sent := 0
	_, err = r.Every(5*time.Millisecond, func() error {
		sent++
		return task.SendString(ctx, fmt.Sprint("task ", sent))
	})
	check(err)
	fmt.Println(r.Run(ctx))
	// Output:
	// received task 1
	// received task 2
	// received task 3
	// all done
}

// check keeps the examples short. A program handles its errors where they happen.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// The program waits for Out only while it has something to send. Otherwise Out would be
// reported all the time.
func ExamplePoller_Update() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	left, err := zctx.NewSocket(zmq.Pair)
	check(err)
	check(left.Bind("inproc://update"))
	right, err := zctx.NewSocket(zmq.Pair)
	check(err)
	check(right.Connect("inproc://update"))

	p, err := poller.New()
	check(err)
	defer p.Close()
	check(p.Add(left, poller.In|poller.Out))
	for {
		events, err := p.Poll(-1)
		check(err)
		if events[0].Events&poller.Out != 0 {
			check(left.SendString(ctx, "hello"))
			check(p.Update(left, poller.In))
			check(right.SendString(ctx, "hello to you"))
		}
		if events[0].Events&poller.In != 0 {
			answer, err := left.RecvString(ctx, zmq.DontWait)
			check(err)
			fmt.Println(answer)
			return
		}
	}
	// Output: hello to you
}

// A timer stops the Reactor when no message arrives for a while. Each message restarts
// the timer.
func ExampleReactor_After() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://after"))
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://after"))
	check(push.SendString(ctx, "a sign of life"))

	r, err := poller.NewReactor()
	check(err)
	defer r.Close()
	silence := errors.New("nothing came for a while")
	giveUp := func() error { return silence }
	timer, err := r.After(time.Minute, giveUp)
	check(err)
	check(r.Handle(pull, poller.In, func(poller.Event) error {
		text, err := pull.RecvString(ctx, zmq.DontWait)
		if err != nil {
			return err
		}
		fmt.Println(text)
		timer.Cancel()
		timer, err = r.After(10*time.Millisecond, giveUp)
		return err
	}))
	fmt.Println(r.Run(ctx))
	// Output:
	// a sign of life
	// nothing came for a while
}
