package mdp

import (
	"context"
	"slices"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// A broker passes requests to workers by the name of the service. One goroutine uses it.
type broker struct {
	router   *zmq.Socket
	services map[string]*service
	workers  map[string]*worker // by routing id
}

// A service has waiting requests or free workers, never both.
type service struct {
	name     string
	requests [][][]byte // each begins with its client's envelope
	free     []*worker  // the worker that has been free for longest comes first
}

type worker struct {
	id      string
	service *service
	expires time.Time
}

// Broker serves clients and workers on a ROUTER until ctx is done.
func Broker(ctx context.Context, router *zmq.Socket) error {
	b := &broker{router: router, services: map[string]*service{}, workers: map[string]*worker{}}
	messages, beat := router.RecvChan(ctx), time.NewTicker(interval)
	for {
		var err error
		select {
		case message, ok := <-messages.C:
			if !ok {
				return messages.Err()
			}
			err = b.receive(ctx, message)
		case <-beat.C:
			err = b.beat(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// receive handles a message: the peer's envelope, an empty part, the protocol, the rest.
func (b *broker) receive(ctx context.Context, message [][]byte) error {
	peer, rest := envelope(message)
	switch {
	case len(rest) >= 2 && string(rest[0]) == clientProtocol:
		return b.fromClient(ctx, peer, string(rest[1]), rest[2:])
	case len(rest) >= 2 && string(rest[0]) == workerProtocol:
		return b.fromWorker(ctx, string(peer[0]), string(rest[1]), rest[2:])
	}
	return nil
}

func (b *broker) fromClient(ctx context.Context, client [][]byte, name string, body [][]byte) error {
	if name == "mmi.service" { // a service of the broker: is there a worker for a service?
		status := "404"
		for _, w := range b.workers {
			if w.service.name == string(slices.Concat(body...)) {
				status = "200"
			}
		}
		return b.reply(ctx, client, name, words(status))
	}
	s := b.service(name)
	s.requests = append(s.requests, slices.Concat(client, words(""), body))
	return b.dispatch(ctx, s)
}

func (b *broker) reply(ctx context.Context, client [][]byte, service string, body [][]byte) error {
	return b.router.SendMultipart(ctx, slices.Concat(client, words("", clientProtocol, service), body))
}

func (b *broker) service(name string) *service {
	if b.services[name] == nil {
		b.services[name] = &service{name: name}
	}
	return b.services[name]
}

func (b *broker) fromWorker(ctx context.Context, id, command string, rest [][]byte) error {
	w := b.workers[id]
	switch {
	case command == cmdDisconnect:
		b.forget(w)
		return nil
	case command == cmdReady && len(rest) > 0:
		b.forget(w)
		w = &worker{id: id, service: b.service(string(rest[0]))}
		b.workers[id] = w
	case w == nil: // the worker must register again
		return b.tell(ctx, id, cmdDisconnect)
	case command == cmdReply:
		client, body := envelope(rest)
		if err := b.reply(ctx, client, w.service.name, body); err != nil {
			return err
		}
	default: // cmdHeartbeat
		w.expires = time.Now().Add(silence)
		return nil
	}
	// The worker has registered or replied, so it is free.
	w.expires = time.Now().Add(silence)
	w.service.free = append(w.service.free, w)
	return b.dispatch(ctx, w.service)
}

// tell sends a command to a worker.
func (b *broker) tell(ctx context.Context, id, command string, rest ...[]byte) error {
	return b.router.SendMultipart(ctx, slices.Concat(words(id, "", workerProtocol, command), rest))
}

// dispatch gives a request to a worker if there are both.
func (b *broker) dispatch(ctx context.Context, s *service) error {
	if len(s.requests) == 0 || len(s.free) == 0 {
		return nil
	}
	request, id := s.requests[0], s.free[0].id
	s.requests, s.free = s.requests[1:], s.free[1:]
	return b.tell(ctx, id, cmdRequest, request...)
}

// forget removes a worker. It does nothing if w is nil.
func (b *broker) forget(w *worker) {
	if w != nil {
		w.service.free = slices.DeleteFunc(w.service.free, func(f *worker) bool { return f == w })
		delete(b.workers, w.id)
	}
}

// beat sends heartbeats to the workers, and forgets silent ones.
func (b *broker) beat(ctx context.Context) error {
	for id, w := range b.workers {
		if time.Now().After(w.expires) {
			b.forget(w)
		} else if err := b.tell(ctx, id, cmdHeartbeat); err != nil {
			return err
		}
	}
	return nil
}
