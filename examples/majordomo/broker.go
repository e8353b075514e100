package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// A broker knows services by the names that their workers gave. All its methods but
// run are called by the goroutine in run, so that none of this needs a lock.
type broker struct {
	socket   *zmq.Socket
	reactor  *poller.Reactor
	services map[string]*service
	workers  map[string]*worker // by routing id
}

// A service has waiting requests or free workers, and never both.
type service struct {
	name     string
	requests [][][]byte // each with its client's envelope
	free     []*worker  // the one that is free for longest first
	workers  int
}

type worker struct {
	id      string
	service *service
	expires time.Time
}

// newBroker returns a broker, and the endpoint at which it is.
func newBroker(c *zmq.Context, endpoint string) (*broker, string, error) {
	s, err := c.NewSocket(zmq.Router, zmq.Linger.To(0))
	if err != nil {
		return nil, "", err
	}
	if err := s.Bind(endpoint); err != nil {
		return nil, "", err
	}
	if endpoint, err = s.LastEndpoint(); err != nil {
		return nil, "", err
	}
	r, err := poller.NewReactor()
	if err != nil {
		return nil, "", err
	}
	b := &broker{socket: s, reactor: r, services: map[string]*service{}, workers: map[string]*worker{}}
	if err := r.Handle(s, poller.In, b.receive); err != nil {
		return nil, "", err
	}
	if _, err := r.Every(interval, b.beat); err != nil {
		return nil, "", err
	}
	return b, endpoint, nil
}

// run serves clients and workers until ctx ends.
func (b *broker) run(ctx context.Context) error {
	if err := b.reactor.Run(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}

func (b *broker) close() { b.reactor.Close() }

// receive takes a message: peer's envelope, empty part, protocol, ... What is neither
// a client's nor a worker's is dropped.
func (b *broker) receive(poller.Event) error {
	message, err := b.socket.RecvMultipart(zmq.DontWait)
	if errors.Is(err, zmq.ErrAgain) {
		return nil
	}
	if err != nil {
		return err
	}
	peer, rest := envelope(message)
	switch {
	case len(rest) >= 2 && string(rest[0]) == clientProtocol:
		return b.fromClient(peer, string(rest[1]), rest[2:])
	case len(rest) >= 2 && string(rest[0]) == workerProtocol:
		return b.fromWorker(string(peer[0]), string(rest[1]), rest[2:])
	}
	return nil
}

func (b *broker) fromClient(client [][]byte, name string, body [][]byte) error {
	if name == "mmi.service" { // the broker's own: is there such a service?
		status := "404"
		if s := b.services[string(slices.Concat(body...))]; s != nil && s.workers > 0 {
			status = "200"
		}
		return b.reply(client, name, parts(status))
	}
	s := b.service(name)
	s.requests = append(s.requests, join(client, [][]byte{nil}, body))
	return b.dispatch(s)
}

func (b *broker) reply(client [][]byte, service string, body [][]byte) error {
	return b.socket.SendMultipart(join(client, [][]byte{nil}, parts(clientProtocol, service), body))
}

func (b *broker) service(name string) *service {
	s := b.services[name]
	if s == nil {
		s = &service{name: name}
		b.services[name] = s
	}
	return s
}

func (b *broker) fromWorker(id, command string, rest [][]byte) error {
	w := b.workers[id]
	switch {
	case command == cmdReady && w == nil && len(rest) > 0:
		w = &worker{id: id, service: b.service(string(rest[0]))}
		w.service.workers++
		b.workers[id] = w
	case w == nil || command == cmdReady || command == cmdDisconnect:
		// One that the broker does not know, or that is confused, is to sign on again.
		b.forget(w)
		if command == cmdDisconnect {
			return nil
		}
		return b.tell(id, cmdDisconnect)
	case command == cmdReply:
		client, body := envelope(rest)
		if err := b.reply(client, w.service.name, body); err != nil {
			return err
		}
	case command == cmdHeartbeat:
		w.expires = time.Now().Add(liveness * interval)
		return nil
	default:
		return nil
	}
	// It signed on or has replied: it is free.
	w.expires = time.Now().Add(liveness * interval)
	w.service.free = append(w.service.free, w)
	return b.dispatch(w.service)
}

// tell sends a command to a worker.
func (b *broker) tell(id, command string, rest ...[]byte) error {
	return b.socket.SendMultipart(join([][]byte{[]byte(id), nil}, parts(workerProtocol, command), rest))
}

// dispatch gives requests to workers as long as there are both.
func (b *broker) dispatch(s *service) error {
	for len(s.requests) > 0 && len(s.free) > 0 {
		request, w := s.requests[0], s.free[0]
		s.requests, s.free = s.requests[1:], s.free[1:]
		if err := b.tell(w.id, cmdRequest, request...); err != nil {
			return err
		}
	}
	return nil
}

// forget takes a worker, or none, out.
func (b *broker) forget(w *worker) {
	if w == nil {
		return
	}
	w.service.workers--
	w.service.free = slices.DeleteFunc(w.service.free, func(f *worker) bool { return f == w })
	delete(b.workers, w.id)
}

// beat sends heartbeats to the workers and forgets those that are dead.
func (b *broker) beat() error {
	now := time.Now()
	for _, w := range b.workers {
		if now.After(w.expires) {
			b.forget(w)
			continue
		}
		if err := b.tell(w.id, cmdHeartbeat); err != nil {
			return err
		}
	}
	return nil
}
