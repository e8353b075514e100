package cluster

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// task is an agent's part of a run, on a goroutine of its own.
type task struct {
	*agent
	assignment
	number  int
	cancel  context.CancelCauseFunc
	ended   chan struct{}
	starts  chan time.Time // has one value at most
	stopped chan struct{}
	stop    func() // closes stopped, once
}

// begin starts a task.
func (a *agent) begin(ctx context.Context, m message) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := &task{
		agent: a, assignment: *m.Assignment, number: m.Task, cancel: cancel,
		ended: make(chan struct{}), starts: make(chan time.Time, 1), stopped: make(chan struct{}),
	}
	t.stop = sync.OnceFunc(func() { close(t.stopped) })
	a.task = t
	go func() {
		defer close(t.ended)
		defer cancel(nil)
		result, err := t.run(ctx)
		result.Kind, result.Task = done, t.number
		if err != nil {
			result = message{Kind: failed, Task: t.number, Text: err.Error()}
		}
		if !errors.Is(context.Cause(ctx), errAborted) { // else nobody wants to know
			a.send(result)
		}
	}()
}

// end ends the task, if there is one, and waits for that.
func (a *agent) end(why error) {
	if a.task != nil {
		a.task.cancel(why)
		<-a.task.ended
		a.task = nil
	}
}

// start says when.
func (t *task) start(at time.Time) {
	select {
	case t.starts <- at:
	default: // a second start is none
	}
}

func (t *task) run(ctx context.Context) (message, error) {
	switch {
	case t.Role == record.Server:
		return t.serve(ctx)
	case t.Role == record.Receiver:
		return t.collect(ctx)
	case t.Peer == nil:
		return message{}, fmt.Errorf("the role %q needs an address to connect to", t.Role)
	case t.Role == record.Client:
		if t.Cell.Open() && t.Method.Pace == load.Urgent {
			if err := load.TooUrgent(t.Cell.Senders, runtime.NumCPU()); err != nil {
				return message{}, err
			}
		}
		peer := *t.Peer
		peer.Ready = t.ready
		r, err := load.MeasurePeer(ctx, t.Cell, t.Method, &peer)
		return message{Run: &r}, err
	case t.Role == record.Sender:
		return t.pour(ctx)
	}
	return message{}, fmt.Errorf("the role %q is not known", t.Role)
}

// bound says where the others find what was bound.
func (t *task) bound(p load.Peer) (err error) {
	if p.Endpoint, err = advertised(p.Endpoint, t.Advertise); err != nil {
		return err
	}
	// First: nobody may read what is said.
	t.send(message{Kind: bound, Task: t.number, Peer: &p})
	t.Say("%s: %s at %s", t.Cell, t.Role, p.Endpoint)
	return nil
}

// ready is the barrier: it says that the connections are there, and waits until all
// start.
func (t *task) ready(ctx context.Context) error {
	t.send(message{Kind: ready, Task: t.number})
	select {
	case at := <-t.starts:
		select {
		case <-time.After(time.Until(at)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	t.Say("%s: measures as %s", t.Cell, t.Role)
	return nil
}

// serve answers until the run is over. Its part of the result is what disturbed it.
func (t *task) serve(ctx context.Context) (message, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var watcher sync.WaitGroup
	watcher.Go(func() {
		select {
		case <-t.stopped:
		case <-ctx.Done():
		}
		cancel()
	})
	hiccups := pace.StartHiccups()
	err := load.ServeAt(ctx, t.Cell, t.Bind, t.bound)
	seen := hiccups.Stop()
	cancel()
	watcher.Wait()
	if err != nil {
		return message{}, fmt.Errorf("%s: %w", t.Cell, err)
	}
	var r record.Run
	return message{Run: &r}, addHiccups(&r, seen)
}

// collect counts until the senders are done, and says so when it is asked.
func (t *task) collect(ctx context.Context) (message, error) {
	hiccups := pace.StartHiccups()
	r, total, err := load.Collect(ctx, t.Cell, t.Method, t.Bind, t.Senders, t.bound)
	seen := hiccups.Stop()
	if err != nil {
		return message{}, fmt.Errorf("%s: %w", t.Cell, err)
	}
	select {
	case <-t.stopped:
	case <-ctx.Done():
		return message{}, context.Cause(ctx)
	}
	return message{Run: &r, Total: total}, addHiccups(&r, seen)
}

func (t *task) pour(ctx context.Context) (message, error) {
	peer := *t.Peer
	peer.Ready = t.ready
	hiccups := pace.StartHiccups()
	sent, took, err := load.SendStream(ctx, t.Cell, t.Method, peer)
	seen := hiccups.Stop()
	if err != nil {
		return message{}, fmt.Errorf("%s: %w", t.Cell, err)
	}
	var r record.Run
	return message{Run: &r, Total: sent, Took: took}, addHiccups(&r, seen)
}
