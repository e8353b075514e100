package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

// queue gives requests to free workers until ctx is done. A worker sends messages only
// while it is free, so a worker that sends anything is alive and free.
func queue(ctx context.Context, d *demo.Demo) (err error) {
	clients, _ := d.Bind(zmq.Router, d.IPC("clients"))
	defer clients.Close()
	workers, _ := d.Bind(zmq.Router, d.IPC("workers"))
	defer workers.Close()
	var free []string // ids; the worker that has been free for longest comes first
	expires := map[string]time.Time{}
	fromClients, fromWorkers, ticker := clients.RecvChan(ctx), workers.RecvChan(ctx), time.NewTicker(interval)
	for err == nil && ctx.Err() == nil {
		var requests <-chan [][]byte // a nil channel is never ready: requests wait for a worker
		if len(free) > 0 {
			requests = fromClients.C
		}
		select {
		case message := <-requests:
			err = workers.SendMultipart(ctx, append(demo.Message(free[0]), message...))
			free = free[1:]
		case message := <-fromWorkers.C: // id of the worker, address of the client, reply
			if len(message) == 0 {
				continue // the channel is closed because ctx is done
			}
			id := string(message[0])
			if !slices.Contains(free, id) {
				free = append(free, id)
			}
			expires[id] = time.Now().Add(silence)
			if len(message) > 2 {
				err = clients.SendMultipart(ctx, message[1:])
			}
		case now := <-ticker.C:
			free = slices.DeleteFunc(free, func(id string) bool { return now.After(expires[id]) })
			for _, id := range free {
				err = errors.Join(err, workers.SendMultipart(ctx, demo.Message(id, heartbeat)))
			}
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}
