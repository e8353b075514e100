package kv

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

// silence is how long a client waits for a message before it takes the server for gone.
const silence = 20 * interval

// A Client has a copy of the server's table. It is safe for use by any number of goroutines.
type Client struct {
	snapshots *request.Client
	updates   *zmq.Socket
	changes   *zmq.Socket
	stop      context.CancelFunc
	done      chan struct{} // closed when the client stops following the server

	mu      sync.Mutex
	table   Table
	changed chan struct{} // closed and replaced with each change
	err     error
}

// Join returns a client with a snapshot of the table. It follows the changes until it is
// closed or the server is silent for two seconds.
func Join(ctx context.Context, zctx *zmq.Context, at Endpoints) (*Client, error) {
	dealer, err := connect(zctx, zmq.Dealer, at.Snapshots)
	if err != nil {
		return nil, err
	}
	cl := &Client{done: make(chan struct{}), changed: make(chan struct{})}
	if cl.snapshots, err = request.NewClient(dealer, request.Config{Attempts: 3, Timeout: 5 * time.Second}); err != nil {
		return nil, err
	}
	if cl.updates, err = connect(zctx, zmq.Sub, at.Updates, zmq.Subscribe.To(""), zmq.RecvHWM.To(10_000), zmq.RecvTimeout.To(silence)); err != nil {
		return nil, err
	}
	if cl.changes, err = connect(zctx, zmq.Push, at.Changes); err != nil {
		return nil, err
	}
	// Otherwise changes between the snapshot and the first message would be missed, and the
	// client would need a second snapshot.
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

func connect(zctx *zmq.Context, t zmq.SocketType, endpoint string, settings ...zmq.Setting) (*zmq.Socket, error) {
	s, err := zctx.NewSocket(t, settings...)
	if err != nil {
		return nil, err
	}
	return s, s.Connect(endpoint)
}

// refresh replaces the copy with a snapshot.
func (cl *Client) refresh(ctx context.Context) error {
	snapshot, err := cl.snapshots.Request(ctx, []byte("snapshot"))
	if err != nil {
		return err
	}
	table := make(map[string]string, len(snapshot)/2)
	for i := 1; i+1 < len(snapshot); i += 2 {
		apply(table, snapshot[i], snapshot[i+1])
	}
	cl.update(func() { cl.table = Table{table, binary.BigEndian.Uint64(snapshot[0])} })
	return nil
}

// follow applies changes until ctx is done or the server is silent. It leaves out changes
// that the snapshot has, and takes a new snapshot when one is missing.
func (cl *Client) follow(ctx context.Context) error {
	for message, err := range cl.updates.Messages(ctx) { // key, value, number
		if err != nil {
			return err
		}
		switch n := binary.BigEndian.Uint64(message[2].Bytes()); {
		case n <= cl.table.Sequence:
		case n > cl.table.Sequence+1 || message[0].Len() == 0:
			if err := cl.refresh(ctx); err != nil {
				return err
			}
		default:
			cl.update(func() {
				cl.table.Sequence = n
				apply(cl.table.Values, message[0].Bytes(), message[1].Bytes())
			})
		}
	}
	return nil
}

// update changes the fields that mu guards and wakes the goroutines in Wait.
func (cl *Client) update(f func()) {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	f()
	close(cl.changed)
	cl.changed = make(chan struct{})
}

// Set asks the server to set a key. An empty value deletes it. The copy has the change
// when the server has published it.
func (cl *Client) Set(ctx context.Context, key, value string) error {
	return cl.changes.SendMultipart(ctx, [][]byte{[]byte(key), []byte(value)})
}

// Wait blocks until the copy has the change with a number or a later one. It fails when the
// client no longer follows the server.
func (cl *Client) Wait(ctx context.Context, sequence uint64) error {
	for {
		cl.mu.Lock()
		has, changed, err := cl.table.Sequence, cl.changed, cl.err
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

// Table returns a copy of the table.
func (cl *Client) Table() Table {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	return Table{maps.Clone(cl.table.Values), cl.table.Sequence}
}

// Close closes the client.
func (cl *Client) Close() {
	cl.stop()
	<-cl.done
	cl.snapshots.Close()
	cl.updates.Close()
	cl.changes.Close()
}
