package main

import (
	"errors"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

// mark ends a profile of callgrind and begins the next one. It must not be inlined, because
// callgrind watches for the call.
//
//go:noinline
func mark() {}

// plan returns, for each call of mark in a run, the name of the step that it ends. The name
// is empty if the step is not counted.
func plan() (steps []string) {
	for _, c := range cells() {
		for round := range rounds {
			send, receive := c.name+"/send", c.name+"/recv"
			if round == 0 {
				send, receive = "", ""
			}
			if c.sameSend {
				send = ""
			}
			steps = append(steps, "", send, receive)
		}
	}
	return steps
}

// run executes the plan.
func run(mark func()) error {
	for _, c := range cells() {
		if err := c.run(mark); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

func (c cell) run(mark func()) (err error) {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, zctx.Close()) }()
	settings := []zmq.Setting{zmq.Linger.To(0), zmq.SendHWM.To(0), zmq.RecvHWM.To(0)}
	push, err := zctx.NewSocket(zmq.Push, settings...)
	if err != nil {
		return err
	}
	pull, err := zctx.NewSocket(zmq.Pull, append(settings, zmq.ReadAhead.To(c.readAhead))...)
	if err != nil {
		return err
	}
	if err := errors.Join(pull.Bind("inproc://instructions"), push.Connect("inproc://instructions")); err != nil {
		return err
	}
	e, err := c.make(push, pull)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	for range rounds {
		mark()
		if err := e.send(); err != nil {
			return err
		}
		mark()
		if err := e.receive(); err != nil {
			return err
		}
		mark()
	}
	return nil
}
