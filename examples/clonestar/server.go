package main

import (
	"context"

	"github.com/go-zmq/go-zmq/examples/binarystar/star"
	"github.com/go-zmq/go-zmq/examples/clone/kv"
	"github.com/go-zmq/go-zmq/examples/internal/demo"
)

// A server is one of the pair.
type server struct {
	cancel  context.CancelFunc
	stopped chan struct{}
	copied  chan uint64 // receives the number of each change that the passive server has
}

func start(ctx context.Context, d *demo.Demo, name, peer string) *server {
	ctx, cancel := context.WithCancel(ctx)
	s := &server{cancel, make(chan struct{}), make(chan uint64, 1000)} // more than all changes
	d.Go(func() error {
		defer close(s.stopped)
		states := star.Start(ctx, d, name, peer)
		err := s.run(ctx, d, name, peer, states)
		if ctx.Err() != nil {
			err = nil // stopped
		}
		cancel()
		for range states { // until the sockets are closed
		}
		return err
	})
	return s
}

// stop returns when the server has stopped.
func (s *server) stop() {
	s.cancel()
	<-s.stopped
}

// wait returns when the server has a copy of the change with a number.
func (s *server) wait(ctx context.Context, sequence uint64) error {
	for {
		select {
		case n := <-s.copied:
			if n >= sequence {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// run keeps a copy of the table while the server is passive, and owns the table from the
// moment it is active.
func (s *server) run(ctx context.Context, d *demo.Demo, name, peer string, states <-chan string) error {
	table := kv.Table{Values: map[string]string{}}
	if state := <-states; state == star.Passive {
		client, err := kv.Join(ctx, d, peer)
		if err != nil {
			return err
		}
		defer client.Close()
		passive, active := context.WithCancel(ctx)
		defer active()
		go func() {
			<-states // active, or closed
			active()
		}()
		for err == nil {
			s.copied <- client.Sequence
			err = client.Wait(passive, client.Sequence+1)
		}
		if passive.Err() == nil {
			return err
		}
		table = client.Table
	}
	return kv.Serve(ctx, d, name, table)
}
