package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

// A client has a copy of the server's table. Any number of goroutines may use it.
type client struct {
	snapshots *request.Client
	updates   *zmq.Socket
	changes   *zmq.Socket
	stop      context.CancelFunc
	done      chan struct{} // closed when the copy is followed no more

	mu       sync.Mutex
	table    map[string]string
	sequence uint64        // number of the last change that is in the table
	changed  chan struct{} // closed, and made anew, with each change
	err      error
}

// join returns a client with a snapshot of the table, that follows the changes.
func join(ctx context.Context, c *zmq.Context, at endpoints) (*client, error) {
	dealer, err := connect(c, zmq.Dealer, at.snapshots)
	if err != nil {
		return nil, err
	}
	cl := &client{done: make(chan struct{}), changed: make(chan struct{})}
	if cl.snapshots, err = request.NewClient(dealer, request.Config{Attempts: 3, Timeout: 5 * time.Second}); err != nil {
		return nil, err
	}
	if cl.updates, err = connect(c, zmq.Sub, at.updates, zmq.Subscribe.To(""), zmq.RecvHWM.To(10_000)); err != nil {
		return nil, err
	}
	if cl.changes, err = connect(c, zmq.Push, at.changes); err != nil {
		return nil, err
	}
	// Without this, more changes would be missed between the snapshot and the first one
	// that comes, and a second snapshot be needed.
	if err := cl.updates.WaitConnected(ctx, 1); err != nil {
		return nil, err
	}
	if err := cl.refresh(ctx); err != nil {
		return nil, err
	}
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	cl.stop = stop
	go func() {
		defer close(cl.done)
		err := cl.follow(following)
		cl.update(func() { cl.err = err })
	}()
	return cl, nil
}

func connect(c *zmq.Context, t zmq.SocketType, endpoint string, settings ...zmq.Setting) (*zmq.Socket, error) {
	s, err := c.NewSocket(t, settings...)
	if err != nil {
		return nil, err
	}
	return s, s.Connect(endpoint)
}

// refresh replaces the copy with a snapshot.
func (cl *client) refresh(ctx context.Context) error {
	snapshot, err := cl.snapshots.Request(ctx, []byte("snapshot"))
	if err != nil {
		return err
	}
	table := make(map[string]string, len(snapshot)/2)
	for i := 1; i+1 < len(snapshot); i += 2 {
		apply(table, snapshot[i], snapshot[i+1])
	}
	cl.update(func() { cl.table, cl.sequence = table, binary.BigEndian.Uint64(snapshot[0]) })
	return nil
}

// follow applies changes until ctx ends. Those that the snapshot has are left out, and
// where one is missing a new snapshot is taken.
func (cl *client) follow(ctx context.Context) error {
	for message, err := range cl.updates.Messages(ctx) { // key, value, number
		if err != nil {
			return err
		}
		switch n := binary.BigEndian.Uint64(message[2].Bytes()); {
		case n <= cl.sequence:
		case n > cl.sequence+1 || message[0].Len() == 0:
			if err := cl.refresh(ctx); err != nil {
				return err
			}
		default:
			cl.update(func() {
				cl.sequence = n
				apply(cl.table, message[0].Bytes(), message[1].Bytes())
			})
		}
	}
	return nil
}

// update changes what mu guards and tells those who wait.
func (cl *client) update(f func()) {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	f()
	close(cl.changed)
	cl.changed = make(chan struct{})
}

// set asks the server to give a key a value, or with an empty value to take it out. The
// copy has the change when the server has published it.
func (cl *client) set(ctx context.Context, key, value string) error {
	return cl.changes.SendMultipartContext(ctx, [][]byte{[]byte(key), []byte(value)})
}

// wait waits until the copy has the change with a number, or a later one.
func (cl *client) wait(ctx context.Context, sequence uint64) error {
	for {
		cl.mu.Lock()
		has, changed, err := cl.sequence, cl.changed, cl.err
		cl.mu.Unlock()
		if has >= sequence || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for change %d, at %d: %w", sequence, has, ctx.Err())
		}
	}
}

// copy returns the table as it is now.
func (cl *client) copy() map[string]string {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	return maps.Clone(cl.table)
}

// close ends the client.
func (cl *client) close() {
	cl.stop()
	<-cl.done
	cl.snapshots.Close()
	cl.updates.Close()
	cl.changes.Close()
}
