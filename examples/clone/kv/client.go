package kv

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

// A Client has a copy of the table. One goroutine at a time may use it.
type Client struct {
	Table
	snapshots *request.Client
	sub, push *zmq.Socket
}

// Join returns a client of the server with a name, after it has received a snapshot.
func Join(ctx context.Context, d *demo.Demo, name string) (*Client, error) {
	c := &Client{
		sub:  d.Connect(zmq.Sub, d.IPC(name+"-updates"), zmq.Subscribe.To("")),
		push: d.Connect(zmq.Push, d.IPC(name+"-changes")),
	}
	var err error
	if c.snapshots, err = request.NewClient(d.Connect(zmq.Dealer, d.IPC(name+"-snapshots")), request.Config{}); err != nil {
		return nil, err
	}
	if _, err := c.sub.RecvMultipart(ctx); err != nil { // the subscription has arrived
		return nil, err
	}
	return c, c.refresh(ctx)
}

// Close closes the sockets of the client.
func (c *Client) Close() error {
	return errors.Join(c.snapshots.Close(), c.sub.Close(), c.push.Close())
}

// refresh replaces the copy with a snapshot.
func (c *Client) refresh(ctx context.Context) error {
	snapshot, err := c.snapshots.Request(ctx, []byte("snapshot"))
	if err != nil {
		return err
	}
	c.Table = Table{map[string]string{}, binary.BigEndian.Uint64(snapshot[0])}
	for i := 1; i < len(snapshot); i += 2 {
		c.apply(snapshot[i], snapshot[i+1])
	}
	return nil
}

// Set asks the server to set a key. The copy has the change when the server publishes it.
func (c *Client) Set(ctx context.Context, key, value string) error {
	return c.push.SendMultipart(ctx, demo.Message(key, value))
}

// Wait receives changes until the copy has the one with a number, or a later one.
func (c *Client) Wait(ctx context.Context, sequence uint64) error {
	for c.Sequence < sequence {
		change, err := c.sub.RecvMultipart(ctx) // key, value, number
		if err != nil {
			return err
		}
		switch n := binary.BigEndian.Uint64(change[2]); {
		case n <= c.Sequence: // the copy has it
		case n == c.Sequence+1 && len(change[0]) > 0:
			c.Sequence = n
			c.apply(change[0], change[1])
		default: // a change is missing
			if err := c.refresh(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
