package main

import (
	"context"
	"strconv"
	"time"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

// The origin of a request, to which its reply must go: a client of this cluster, or another
// broker.
const local, cloud = "local", "cloud"

// A broker connects the clients and workers of a cluster with other clusters. One goroutine
// uses it.
type broker struct {
	name      string
	clients   *zmq.Socket // ROUTER
	workers   *zmq.Socket // ROUTER
	fromPeers *zmq.Socket // ROUTER, bound: requests of other clusters
	toPeers   *zmq.Socket // ROUTER, connected to the fromPeers of the others
	state     *zmq.Socket // PUB: the name of the cluster and how many workers are free
	states    *zmq.Socket // SUB

	free     []string       // routing ids of free workers
	capacity map[string]int // free workers of other clusters
}

func newBroker(d *demo.Demo, name string) (b *broker, err error) {
	b = &broker{name: name, capacity: map[string]int{}}
	b.clients, _ = d.Bind(zmq.Router, d.IPC(name+"-clients"))
	b.workers, _ = d.Bind(zmq.Router, d.IPC(name+"-workers"))
	b.fromPeers, _ = d.Bind(zmq.Router, d.IPC(name+"-requests"))
	b.state, _ = d.Bind(zmq.Pub, d.IPC(name+"-state"))
	if b.toPeers, err = d.Context.NewSocket(zmq.Router); err != nil {
		return nil, err
	}
	if b.states, err = d.Context.NewSocket(zmq.Sub, zmq.Subscribe.To("")); err != nil {
		return nil, err
	}
	for peer := range workers {
		if peer == name {
			continue
		}
		if err := b.states.Connect(d.IPC(peer + "-state")); err != nil {
			return nil, err
		}
		// The ROUTER knows the next connection by this id.
		if err := b.toPeers.Set(zmq.ConnectRoutingID.To([]byte(peer))); err != nil {
			return nil, err
		}
		if err := b.toPeers.Connect(d.IPC(peer + "-requests")); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// run routes messages until ctx is done.
func (b *broker) run(ctx context.Context) (err error) {
	clients, fromPeers := b.clients.RecvChan(ctx), b.fromPeers.RecvChan(ctx)
	workers, toPeers, states := b.workers.RecvChan(ctx), b.toPeers.RecvChan(ctx), b.states.RecvChan(ctx)
	ticker := time.NewTicker(20 * time.Millisecond)
	for err == nil {
		// A nil channel is never ready: requests wait in their socket for a free worker.
		var ownRequests, peerRequests <-chan [][]byte
		if len(b.free) > 0 || b.bestPeer() != "" {
			ownRequests = clients.C
		}
		if len(b.free) > 0 {
			peerRequests = fromPeers.C
		}
		var message [][]byte
		handle := b.publish
		select {
		case <-ticker.C:
		case message = <-ownRequests:
			handle = b.fromClient
		case message = <-peerRequests:
			handle = func(ctx context.Context, m [][]byte) error { return b.toWorker(ctx, cloud, m) }
		case message = <-workers.C:
			handle = b.fromWorker
		case message = <-toPeers.C:
			handle = b.peerReply
		case message = <-states.C:
			handle = b.peerState
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		err = handle(ctx, message)
	}
	return err
}

// bestPeer returns the other cluster with the most free workers, or "" if none has any.
func (b *broker) bestPeer() (best string) {
	for peer, n := range b.capacity {
		if n > b.capacity[best] {
			best = peer
		}
	}
	return best
}

// fromClient gives a request to a free worker, or else to another cluster.
func (b *broker) fromClient(ctx context.Context, request [][]byte) error {
	if len(b.free) > 0 {
		return b.toWorker(ctx, local, request)
	}
	peer := b.bestPeer()
	b.capacity[peer]-- // until the peer publishes its state again
	return b.toPeers.SendMultipart(ctx, append(demo.Message(peer), request...))
}

func (b *broker) toWorker(ctx context.Context, origin string, request [][]byte) error {
	id := b.free[0]
	b.free = b.free[1:]
	return b.workers.SendMultipart(ctx, append(demo.Message(id, origin), request...))
}

// fromWorker handles "ready" or a reply with its origin. The worker is free again.
func (b *broker) fromWorker(ctx context.Context, message [][]byte) error {
	b.free = append(b.free, string(message[0]))
	if len(message) < 3 { // ready
		return nil
	}
	if string(message[1]) == local {
		return b.clients.SendMultipart(ctx, message[2:])
	}
	return b.fromPeers.SendMultipart(ctx, message[2:])
}

// peerReply forwards the reply to a request that another cluster took.
func (b *broker) peerReply(ctx context.Context, message [][]byte) error {
	return b.clients.SendMultipart(ctx, message[1:])
}

func (b *broker) peerState(_ context.Context, message [][]byte) error {
	n, err := strconv.Atoi(string(message[1]))
	b.capacity[string(message[0])] = n
	return err
}

// publish sends the state of this cluster to the others.
func (b *broker) publish(ctx context.Context, _ [][]byte) error {
	return b.state.SendMultipart(ctx, demo.Message(b.name, strconv.Itoa(len(b.free))))
}
