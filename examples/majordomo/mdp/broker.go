package mdp

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// A Broker passes requests to workers by the name of the service. The goroutine in Run
// calls all unexported methods, so the fields need no lock.
type Broker struct {
	socket   *zmq.Socket
	reactor  *poller.Reactor
	services map[string]*service
	workers  map[string]*worker // by routing id
}

// A service has waiting requests or free workers, never both.
type service struct {
	name     string
	requests [][][]byte // each begins with its client's envelope
	free     []*worker  // the worker that has been free for longest comes first
	workers  int
}

type worker struct {
	id      string
	service *service
	expires time.Time
}

// NewBroker returns a broker and the endpoint that its socket is bound to.
func NewBroker(zctx *zmq.Context, endpoint string) (*Broker, string, error) {
	s, err := zctx.NewSocket(zmq.Router, zmq.Linger.To(0))
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
	b := &Broker{socket: s, reactor: r, services: map[string]*service{}, workers: map[string]*worker{}}
	if err := r.Handle(s, poller.In, b.receive); err != nil {
		return nil, "", err
	}
	if _, err := r.Every(interval, b.beat); err != nil {
		return nil, "", err
	}
	return b, endpoint, nil
}

// Run serves clients and workers until ctx is done.
func (b *Broker) Run(ctx context.Context) error {
	if err := b.reactor.Run(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}

// Close frees the broker. Its socket belongs to the zmq.Context.
func (b *Broker) Close() { b.reactor.Close() }

// receive handles one message: peer's envelope, empty part, protocol, and the rest. It
// drops messages of any other form.
func (b *Broker) receive(poller.Event) error {
	message, err := b.socket.RecvMultipart(context.Background(), zmq.DontWait)
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

func (b *Broker) fromClient(client [][]byte, name string, body [][]byte) error {
	if name == "mmi.service" { // the broker itself answers: does the service exist?
		status := "404"
		if s := b.services[string(slices.Concat(body...))]; s != nil && s.workers > 0 {
			status = "200"
		}
		return b.reply(client, name, words(status))
	}
	s := b.service(name)
	s.requests = append(s.requests, join(client, [][]byte{nil}, body))
	return b.dispatch(s)
}

func (b *Broker) reply(client [][]byte, service string, body [][]byte) error {
	return b.socket.SendMultipart(context.Background(), join(client, [][]byte{nil}, words(clientProtocol, service), body))
}

func (b *Broker) service(name string) *service {
	s := b.services[name]
	if s == nil {
		s = &service{name: name}
		b.services[name] = s
	}
	return s
}

func (b *Broker) fromWorker(id, command string, rest [][]byte) error {
	w := b.workers[id]
	switch {
	case command == cmdReady && w == nil && len(rest) > 0:
		w = &worker{id: id, service: b.service(string(rest[0]))}
		w.service.workers++
		b.workers[id] = w
	case w == nil || command == cmdReady || command == cmdDisconnect:
		// The broker does not know this worker, or the worker is confused: it must
		// register again.
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
	// The worker has registered or replied, so it is free.
	w.expires = time.Now().Add(liveness * interval)
	w.service.free = append(w.service.free, w)
	return b.dispatch(w.service)
}

// tell sends a command to a worker.
func (b *Broker) tell(id, command string, rest ...[]byte) error {
	return b.socket.SendMultipart(context.Background(), join([][]byte{[]byte(id), nil}, words(workerProtocol, command), rest))
}

// dispatch gives requests to workers while there are both.
func (b *Broker) dispatch(s *service) error {
	for len(s.requests) > 0 && len(s.free) > 0 {
		request, w := s.requests[0], s.free[0]
		s.requests, s.free = s.requests[1:], s.free[1:]
		if err := b.tell(w.id, cmdRequest, request...); err != nil {
			return err
		}
	}
	return nil
}

// forget removes a worker. It does nothing if w is nil.
func (b *Broker) forget(w *worker) {
	if w == nil {
		return
	}
	w.service.workers--
	w.service.free = slices.DeleteFunc(w.service.free, func(f *worker) bool { return f == w })
	delete(b.workers, w.id)
}

// beat sends heartbeats to the workers and forgets those that have expired.
func (b *Broker) beat() error {
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
