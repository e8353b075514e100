package main

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// Where a server is.
type endpoints struct{ snapshots, updates, changes string }

// A server has the table. The goroutine in run is the only one that uses it.
type server struct {
	endpoints
	snapshots *zmq.Socket // ROUTER: a request gets the whole table
	updates   *zmq.Socket // PUB: each change, with its number
	changes   *zmq.Socket // PULL: what clients want changed
	reactor   *poller.Reactor
	sequence  uint64 // number of the last change
	table     map[string]string
}

func newServer(c *zmq.Context) (*server, error) {
	s := &server{table: map[string]string{}}
	for _, socket := range []struct {
		s    **zmq.Socket
		t    zmq.SocketType
		at   *string
		with []zmq.Setting
	}{
		{&s.snapshots, zmq.Router, &s.endpoints.snapshots, nil},
		// A client that is slower than 10,000 changes loses some, notices, and asks again.
		{&s.updates, zmq.Pub, &s.endpoints.updates, []zmq.Setting{zmq.SendHWM.To(10_000)}},
		{&s.changes, zmq.Pull, &s.endpoints.changes, nil},
	} {
		var err error
		if *socket.s, err = c.NewSocket(socket.t, socket.with...); err != nil {
			return nil, err
		}
		if err := (*socket.s).Bind("tcp://127.0.0.1:*"); err != nil {
			return nil, err
		}
		if *socket.at, err = (*socket.s).LastEndpoint(); err != nil {
			return nil, err
		}
	}
	var err error
	if s.reactor, err = poller.NewReactor(); err != nil {
		return nil, err
	}
	if err := s.reactor.Handle(s.snapshots, poller.In, s.snapshot); err != nil {
		return nil, err
	}
	if err := s.reactor.Handle(s.changes, poller.In, s.change); err != nil {
		return nil, err
	}
	_, err = s.reactor.Every(100*time.Millisecond, s.beat)
	return s, err
}

// run serves until ctx ends.
func (s *server) run(ctx context.Context) error {
	if err := s.reactor.Run(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}

func (s *server) close() { s.reactor.Close() }

// change applies a change, gives it its number, and publishes it. Nothing can come in
// between: handlers are called one after the other.
func (s *server) change(poller.Event) error {
	message, err := s.changes.RecvMultipart(zmq.DontWait) // key, value
	if errors.Is(err, zmq.ErrAgain) || err == nil && len(message) != 2 {
		return nil
	}
	if err != nil {
		return err
	}
	s.sequence++
	apply(s.table, message[0], message[1])
	return s.updates.SendMultipart(append(message, number(s.sequence)))
}

// beat publishes the number of the last change with an empty key, so that a client that
// missed that one does not have to wait for the next to notice.
func (s *server) beat() error {
	return s.updates.SendMultipart([][]byte{nil, nil, number(s.sequence)})
}

// apply puts a value into a table; an empty one takes the key out.
func apply(table map[string]string, key, value []byte) {
	if len(value) == 0 {
		delete(table, string(key))
		return
	}
	table[string(key)] = string(value)
}

// snapshot sends the number of the last change and the table, all in one message, so
// that it comes whole or not at all.
func (s *server) snapshot(poller.Event) error {
	request, err := s.snapshots.RecvMultipart(zmq.DontWait)
	if errors.Is(err, zmq.ErrAgain) {
		return nil
	}
	if err != nil {
		return err
	}
	reply := append(request[:len(request)-1], number(s.sequence)) // to the client's envelope
	for key, value := range s.table {
		reply = append(reply, []byte(key), []byte(value))
	}
	return s.snapshots.SendMultipart(reply)
}

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
