// Package star decides which of two servers is active: the Binary Star pattern.
package star

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

const (
	interval = 100 * time.Millisecond // between heartbeats
	silence  = time.Second            // a peer that sends nothing for longer is gone
)

// The names of the servers are also their first states. A server is then Active or Passive.
const Primary, Backup, Active, Passive = "primary", "backup", "active", "passive"

// transitions has the next state of a server by its state and that of its peer.
var transitions = map[string]string{
	"primary backup": Active, "primary active": Passive, "backup active": Passive,
	"passive primary": Active, "passive backup": Active,
}

// Start starts a server that answers with its name while it is active. It runs until ctx is
// done. The channel receives each new state, and is closed when the server has stopped.
func Start(ctx context.Context, d *demo.Demo, name, peer string) (states <-chan string) {
	changes := make(chan string, 10)
	d.Go(func() error {
		defer close(changes)
		return serve(ctx, d, name, peer, changes)
	})
	return changes
}

// serve fails if both servers are active or both are passive: then an operator must decide.
func serve(ctx context.Context, d *demo.Demo, name, peer string, changes chan<- string) error {
	requests, _ := d.Bind(zmq.Router, d.IPC(name+"-requests"))
	defer requests.Close()
	heartbeats, _ := d.Bind(zmq.Pub, d.IPC(name+"-state"))
	defer heartbeats.Close()
	peerState := d.Connect(zmq.Sub, d.IPC(peer+"-state"), zmq.Subscribe.To(""))
	defer peerState.Close()

	state, heard := name, time.Now()
	become := func(s string) { state = s; changes <- s }
	fromClients, fromPeer, ticker := requests.RecvChan(ctx), peerState.RecvChan(ctx), time.NewTicker(interval)
	for ctx.Err() == nil {
		select {
		case <-ticker.C:
			if err := heartbeats.SendString(context.Background(), state); err != nil {
				return err
			}
		case heartbeat := <-fromPeer.C:
			if len(heartbeat) == 0 {
				continue // the channel is closed because ctx is done
			}
			heard = time.Now()
			if string(heartbeat[0]) == state {
				return fmt.Errorf("both servers are %s", state)
			}
			if next := transitions[state+" "+string(heartbeat[0])]; next != "" {
				become(next)
			}
		case request := <-fromClients.C:
			if (state == Passive || state == Primary) && time.Since(heard) > silence {
				become(Active)
			}
			if len(request) > 0 && state == Active { // without a reply, the client asks the other server
				if err := requests.SendMultipart(context.Background(), append(request[:len(request)-1], []byte(name))); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// A Client asks for the active server. One goroutine at a time may use it.
type Client struct{ servers []*request.Client }

// NewClient returns a client of both servers.
func NewClient(d *demo.Demo) (*Client, error) {
	c := &Client{}
	for _, name := range []string{Primary, Backup} {
		// With Immediate, no request waits in the socket for a server that is gone.
		dealer := d.Connect(zmq.Dealer, d.IPC(name+"-requests"), zmq.Immediate.To(true))
		server, err := request.NewClient(dealer, request.Config{Timeout: 300 * time.Millisecond})
		if err != nil {
			return nil, err
		}
		c.servers = append(c.servers, server)
	}
	return c, nil
}

// ActiveServer asks both servers in turn until one of them answers, and returns its name.
func (c *Client) ActiveServer(ctx context.Context) (name string, err error) {
	for {
		reply, err := c.servers[0].Request(ctx, []byte("what is your name?"))
		if err == nil {
			return string(reply[0]), nil
		}
		if !errors.Is(err, zmq.ErrAgain) {
			return "", err
		}
		c.servers[0], c.servers[1] = c.servers[1], c.servers[0]
	}
}

// Close closes the sockets of the client.
func (c *Client) Close() error { return errors.Join(c.servers[0].Close(), c.servers[1].Close()) }
