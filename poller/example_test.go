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

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// link returns a socket that receives what the other one sends.
func link(ctx *zmq.Context, name string) (pull, push *zmq.Socket) {
	pull, err := ctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://" + name))
	push, err = ctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://" + name))
	return pull, push
}

// Two sockets, of which one is taken out again.
func ExamplePoller() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	jobs, sendJob := link(ctx, "jobs")
	orders, sendOrder := link(ctx, "orders")

	p, err := poller.New()
	check(err)
	defer p.Close()
	check(p.Add(jobs, poller.In))
	check(p.Add(orders, poller.In))
	check(sendJob.SendString("dig"))
	ready, err := p.Wait(context.Background())
	check(err)
	text, err := ready[0].Socket.RecvString(zmq.DontWait)
	check(err)
	fmt.Println(len(ready), text)

	check(p.Remove(jobs))
	check(p.Update(orders, poller.In))
	check(sendJob.SendString("fill"))
	check(sendOrder.SendString("nuts"))
	ready, err = p.Poll(-1)
	check(err)
	fmt.Println(len(ready), ready[0].Socket == orders)
	// Output:
	// 1 dig
	// 1 true
}

// Handlers and timers, all on one goroutine.
func ExampleReactor() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	jobs, send := link(ctx, "jobs")

	r, err := poller.NewReactor()
	check(err)
	defer r.Close()
	check(r.Handle(jobs, poller.In, func(e poller.Event) error {
		text, err := e.Socket.RecvString(zmq.DontWait)
		fmt.Println(text)
		return err
	}))
	_, err = r.After(0, func() error { return send.SendString("dig") })
	check(err)
	ticks := 0
	done := errors.New("three ticks")
	_, err = r.Every(5*time.Millisecond, func() error {
		if ticks++; ticks == 3 {
			return done
		}
		return nil
	})
	check(err)
	fmt.Println(r.Run(context.Background()) == done)
	// Output:
	// dig
	// true
}
