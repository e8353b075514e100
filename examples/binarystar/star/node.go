// Package star decides which of two servers is active: the Binary Star pattern.
package star

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

const (
	interval = 100 * time.Millisecond // between heartbeats
	patience = time.Second            // a peer that is silent for longer is gone
)

// A State is what a node sends to its peer with each heartbeat.
type State byte

// The states of a node. It begins as Primary or Backup and then alternates between Active
// and Passive.
const (
	Primary State = 'P' // waits for its peer
	Backup  State = 'B' // waits for its peer
	Active  State = 'a' // answers requests
	Passive State = 'p' // watches its peer
)

// A Node is one server of a pair. It is safe for use by any number of goroutines.
type Node struct {
	heartbeats, peer *zmq.Socket

	mu      sync.Mutex
	state   State
	heard   time.Time     // when the last heartbeat arrived
	changed chan struct{} // closed and replaced when the state changes
}

// New returns a node that begins as Primary or Backup. It sends heartbeats from the
// endpoint local and receives those of its peer from remote.
func New(zctx *zmq.Context, begin State, local, remote string) (*Node, error) {
	pub, err := zctx.NewSocket(zmq.Pub, zmq.Linger.To(0))
	if err != nil {
		return nil, err
	}
	if err := pub.Bind(local); err != nil {
		return nil, err
	}
	sub, err := zctx.NewSocket(zmq.Sub, zmq.Subscribe.To(""))
	if err != nil {
		return nil, err
	}
	n := &Node{heartbeats: pub, peer: sub, state: begin, heard: time.Now(), changed: make(chan struct{})}
	return n, sub.Connect(remote)
}

// Run exchanges heartbeats until ctx is done. It fails when both nodes are active or both
// are passive: then only an operator can know which of them is right.
func (n *Node) Run(ctx context.Context) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	peer := n.peer.RecvChan(ctx)
	for {
		select {
		case <-ticker.C:
			n.mu.Lock()
			state := n.state
			n.mu.Unlock()
			if err := n.heartbeats.Send(ctx, []byte{byte(state)}); err != nil && ctx.Err() == nil {
				return err
			}
		case heartbeat, ok := <-peer.C:
			if ctx.Err() != nil {
				return nil
			}
			if !ok {
				return peer.Err()
			}
			if err := n.hear(State(heartbeat[0][0])); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// hear applies a heartbeat.
func (n *Node) hear(peer State) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.heard = time.Now()
	switch {
	case n.state == peer:
		return fmt.Errorf("binary star: both nodes are in state %q", peer)
	case n.state == Primary && peer == Backup,
		n.state == Passive && (peer == Primary || peer == Backup): // the active node restarted
		n.become(Active)
	case (n.state == Primary || n.state == Backup) && peer == Active:
		n.become(Passive)
	}
	return nil
}

// become changes the state. The caller holds n.mu.
func (n *Node) become(s State) {
	n.state = s
	close(n.changed)
	n.changed = make(chan struct{})
}

// Accept reports whether the node may answer a request. A request is also a vote: it shows
// that the client cannot reach the active node. If the peer is silent as well, a passive
// node becomes active. If only the link between the nodes is broken, clients still reach
// the active node, and the passive one gets no requests.
func (n *Node) Accept() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if (n.state == Passive || n.state == Primary) && time.Since(n.heard) > patience {
		n.become(Active)
	}
	return n.state == Active
}

// Wait blocks until the node is in one of the states, which it returns, or ctx is done.
func (n *Node) Wait(ctx context.Context, states ...State) (State, error) {
	for {
		n.mu.Lock()
		state, changed := n.state, n.changed
		n.mu.Unlock()
		if slices.Contains(states, state) {
			return state, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return state, fmt.Errorf("binary star: the node is in state %q, not in %q: %w", state, states, ctx.Err())
		}
	}
}
