// Package kv has a table of keys and values on a server, and clients with a copy of it: the
// Clone pattern.
package kv

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// interval is the time between the messages of a server that has no changes to publish.
const interval = 100 * time.Millisecond

// Endpoints says where a server is.
type Endpoints struct{ Snapshots, Updates, Changes string }

// A Table is the content of a server or client at one moment.
type Table struct {
	Values   map[string]string
	Sequence uint64 // number of the last change
}

// A Server owns a table. The goroutine in Run is the only one that uses it.
type Server struct {
	Endpoints Endpoints // where it is, wildcards resolved

	snapshots *zmq.Socket // ROUTER: a request gets the whole table
	updates   *zmq.Socket // PUB: each change, with its number
	changes   *zmq.Socket // PULL: the changes that clients want
	reactor   *poller.Reactor
	table     Table
}

// NewServer returns a server that begins with a table, which it owns.
func NewServer(zctx *zmq.Context, at Endpoints, begin Table) (*Server, error) {
	s := &Server{Endpoints: at, table: begin}
	if s.table.Values == nil {
		s.table.Values = map[string]string{}
	}
	for _, socket := range []struct {
		s    **zmq.Socket
		t    zmq.SocketType
		at   *string
		with []zmq.Setting
	}{
		{&s.snapshots, zmq.Router, &s.Endpoints.Snapshots, nil},
		// A client that falls behind by more loses changes, notices it and asks again.
		{&s.updates, zmq.Pub, &s.Endpoints.Updates, []zmq.Setting{zmq.SendHWM.To(10_000)}},
		{&s.changes, zmq.Pull, &s.Endpoints.Changes, nil},
	} {
		var err error
		if *socket.s, err = zctx.NewSocket(socket.t, socket.with...); err != nil {
			return nil, err
		}
		if err := (*socket.s).Bind(*socket.at); err != nil {
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
	_, err = s.reactor.Every(interval, s.beat)
	return s, err
}

// Run serves until ctx is done.
func (s *Server) Run(ctx context.Context) error {
	if err := s.reactor.Run(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}

// Close frees the server.
func (s *Server) Close() {
	s.reactor.Close()
	s.snapshots.Close()
	s.updates.Close()
	s.changes.Close()
}

// change applies a change, gives it its number and publishes it. The reactor calls one
// handler at a time, so nothing comes in between.
func (s *Server) change(poller.Event) error {
	message, err := s.changes.RecvMultipart(context.Background(), zmq.DontWait) // key, value
	if errors.Is(err, zmq.ErrAgain) || err == nil && len(message) != 2 {
		return nil
	}
	if err != nil {
		return err
	}
	s.table.Sequence++
	apply(s.table.Values, message[0], message[1])
	return s.updates.SendMultipart(context.Background(), append(message, number(s.table.Sequence)))
}

// beat publishes the number of the last change with an empty key. A client that missed
// that change notices it without waiting for the next one.
func (s *Server) beat() error {
	return s.updates.SendMultipart(context.Background(), [][]byte{nil, nil, number(s.table.Sequence)})
}

// apply sets a key. An empty value deletes it.
func apply(table map[string]string, key, value []byte) {
	if len(value) == 0 {
		delete(table, string(key))
		return
	}
	table[string(key)] = string(value)
}

// snapshot sends the number of the last change and the table in one message, which
// arrives whole or not at all.
func (s *Server) snapshot(poller.Event) error {
	request, err := s.snapshots.RecvMultipart(context.Background(), zmq.DontWait)
	if errors.Is(err, zmq.ErrAgain) {
		return nil
	}
	if err != nil {
		return err
	}
	reply := append(request[:len(request)-1], number(s.table.Sequence)) // to the client's envelope
	for key, value := range s.table.Values {
		reply = append(reply, []byte(key), []byte(value))
	}
	return s.snapshots.SendMultipart(context.Background(), reply)
}

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
