package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// A queue gives requests to workers. All its methods are called by the goroutine that
// runs the reactor, so that none of this needs a lock.
type queue struct {
	clients, workers *zmq.Socket
	reactor          *poller.Reactor
	free             []worker // the one that is free for longest first
}

type worker struct {
	id      string
	expires time.Time // unless it shows a sign of life
}

// serveQueue runs a queue until ctx ends.
func serveQueue(ctx context.Context, clients, workers string) error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	q := &queue{}
	if q.clients, err = bind(zctx, clients); err != nil {
		return err
	}
	if q.workers, err = bind(zctx, workers); err != nil {
		return err
	}
	if q.reactor, err = poller.NewReactor(); err != nil {
		return err
	}
	defer q.reactor.Close()
	// Clients are not looked at until there is a worker: see enter.
	if err := q.reactor.Handle(q.workers, poller.In, q.fromWorker); err != nil {
		return err
	}
	if _, err := q.reactor.Every(interval, q.beat); err != nil {
		return err
	}
	if err := q.reactor.Run(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}

func bind(zctx *zmq.Context, endpoint string) (*zmq.Socket, error) {
	s, err := zctx.NewSocket(zmq.Router, zmq.Linger.To(0))
	if err != nil {
		return nil, err
	}
	return s, s.Bind(endpoint)
}

// fromWorker takes a message of a worker: it is alive and free, whatever it says.
func (q *queue) fromWorker(poller.Event) error {
	message, err := q.workers.RecvMultipart(context.Background(), zmq.DontWait)
	if errors.Is(err, zmq.ErrAgain) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := q.enter(string(message[0])); err != nil {
		return err
	}
	if len(message) == 2 && (string(message[1]) == ready || string(message[1]) == heartbeat) {
		return nil
	}
	return q.clients.SendMultipart(context.Background(), message[1:])
}

// enter puts a worker at the end of those that are free.
func (q *queue) enter(id string) error {
	if len(q.free) == 0 {
		if err := q.reactor.Handle(q.clients, poller.In, q.fromClient); err != nil {
			return err
		}
	}
	sign := worker{id, time.Now().Add(liveness * interval)}
	if i := q.indexOf(id); i >= 0 {
		q.free[i] = sign
	} else {
		q.free = append(q.free, sign)
	}
	return nil
}

func (q *queue) indexOf(id string) int {
	return slices.IndexFunc(q.free, func(w worker) bool { return w.id == id })
}

// leave takes workers out. When none is free, requests wait in the clients' socket.
func (q *queue) leave(gone func(worker) bool) error {
	before := len(q.free)
	q.free = slices.DeleteFunc(q.free, gone)
	if before > 0 && len(q.free) == 0 {
		return q.reactor.Remove(q.clients)
	}
	return nil
}

// fromClient gives a request to a worker.
func (q *queue) fromClient(poller.Event) error {
	message, err := q.clients.RecvMultipart(context.Background(), zmq.DontWait)
	if errors.Is(err, zmq.ErrAgain) {
		return nil
	}
	if err != nil {
		return err
	}
	first := q.free[0]
	if err := q.leave(func(w worker) bool { return w.id == first.id }); err != nil {
		return err
	}
	return q.workers.SendMultipart(context.Background(), append([][]byte{[]byte(first.id)}, message...))
}

// beat sends a heartbeat to each free worker, and forgets those that have sent none.
func (q *queue) beat() error {
	now := time.Now()
	if err := q.leave(func(w worker) bool { return now.After(w.expires) }); err != nil {
		return err
	}
	for _, w := range q.free {
		if err := q.workers.SendMultipart(context.Background(), [][]byte{[]byte(w.id), []byte(heartbeat)}); err != nil {
			return err
		}
	}
	return nil
}
